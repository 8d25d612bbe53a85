// What messages and collective operations take where the network is what is slow; bench/contention.py starts it between hosts
// of namespaces.
//
//   contention SAMPLES messages BYTES,... A>B[+C>D],...
//
// Half of a message there and back; those that + joins at the same time.
//
//   contention SAMPLES OPERATION,... BYTES,...
//
// From when all ranks begin a call until the last one has left it, roots at 0; SAMPLES of them after one that nobody counts.
// Hosts of namespaces share one clock, so rank 0 says when the next call begins. They share processors, too (`sched_yield`
// below). `burst` is a message's share in a hundred of 8 bytes.
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/records.h"

namespace {

// What the MPI library itself asks whether its connections have something: the epoll descriptors of this process.
std::vector<pollfd> event_sets() {
    std::vector<pollfd> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (std::filesystem::read_symlink(entry, gone) == "anon_inode:[eventpoll]")
            found.push_back({std::stoi(entry.path().filename()), POLLIN, 0});
    }
    return found;
}

}  // namespace

// In this program, and in libraries that it loads. Hosts would each have a processor. Here they share some, and ranks that poll
// would keep a rank whose message has come waiting for milliseconds. So who gives way sleeps until something comes to one of
// its connections; for 1 ms at most, since other events have no descriptor.
extern "C" int sched_yield() noexcept {
    static std::vector<pollfd> sets = event_sets();
    poll(sets.data(), sets.size(), 1);
    return 0;
}

namespace {

struct Job {
    int rank = 0, ranks = 1, samples = 1;
};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

using Clock = std::chrono::steady_clock;
using Requests = std::vector<MPI_Request>;

void wait(Requests requests) {
    for (int complete = 0;; sched_yield()) {
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &complete, MPI_STATUSES_IGNORE);
        if (complete) return;
    }
}

// When the next call begins: once all ranks are here, and have had the time to hear of it.
Clock::time_point agreed_start() {
    constexpr auto to_hear_of_it = std::chrono::milliseconds(30);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait({request});
    long long start = (Clock::now() + to_hear_of_it).time_since_epoch().count();
    MPI_Ibcast(&start, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD, &request);
    wait({request});
    return Clock::time_point(Clock::duration(start));
}

void measure(const Job& job, const std::string& name, long long bytes, double share, const std::function<void()>& call) {
    std::vector<double> times;
    for (int i = -1; i < job.samples; ++i) {
        const Clock::time_point start = agreed_start();
        std::this_thread::sleep_until(start);
        call();
        const double mine = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
        double all = mine;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ireduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD, &request);
        wait({request});
        if (i >= 0) times.push_back(all * share);
    }
    if (job.rank == 0) bench_cell(name.c_str(), bytes, nullptr, times.data(), static_cast<int>(times.size()));
}

using Pairs = std::vector<std::pair<int, int>>;

// Every pair's message, or where they go back their answers, at the same time.
void exchange(const Job& job, const Pairs& pairs, bool back, long long bytes, int count, std::vector<char>& memory) {
    Requests requests;
    for (const auto& [a, b] : pairs) {
        const int from = back ? b : a, to = back ? a : b;
        for (int i = 0; i < count; ++i) {
            char* const place = memory.data() + static_cast<std::size_t>(bytes) * requests.size();
            if (job.rank == to)
                MPI_Irecv(place, static_cast<int>(bytes), MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests.emplace_back());
            if (job.rank == from)
                MPI_Isend(place, static_cast<int>(bytes), MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests.emplace_back());
        }
    }
    wait(std::move(requests));
}

void measure_messages(const Job& job, const std::vector<std::string>& sizes, const std::string& ways) {
    constexpr int many = 100;
    std::vector<char> memory(static_cast<std::size_t>(std::max(many * 8LL, 4 * std::stoll(sizes.back()))));
    for (const std::string& way : split(ways, ',')) {
        Pairs pairs;
        for (const std::string& pair : split(way, '+'))
            pairs.emplace_back(std::stoi(pair), std::stoi(pair.substr(pair.find('>') + 1)));
        for (const std::string& size : sizes) {
            const long long bytes = std::stoll(size);
            const bool alone = pairs.size() == 1;
            measure(job, way, bytes, alone ? 0.5 : 1, [&] {
                exchange(job, pairs, false, bytes, 1, memory);
                exchange(job, pairs, true, alone ? bytes : 0, 1, memory);
            });
        }
        if (pairs.size() == 1)
            measure(job, "burst " + way, 8, 0.5 / many, [&] {
                for (const bool back : {false, true}) exchange(job, pairs, back, 8, many, memory);
            });
    }
}

void measure_operations(const Job& job, const std::vector<std::string>& names, const std::vector<std::string>& sizes) {
    for (const std::string& name : names)
        for (const std::string& size : sizes) {
            const int bytes = std::stoi(size), floats = bytes / 4, ranks = job.ranks;
            const auto all = static_cast<std::size_t>(bytes) * static_cast<std::size_t>(ranks);
            std::vector<char> send(all), receive(all);
            const std::vector<int> counts(static_cast<std::size_t>(ranks), floats);
            void *const s = send.data(), *const r = receive.data();
            const std::map<std::string, std::function<void()>> calls = {
                {"Bcast", [&] { MPI_Bcast(r, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }},
                {"Reduce", [&] { MPI_Reduce(s, r, floats, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD); }},
                {"Allreduce", [&] { MPI_Allreduce(s, r, floats, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }},
                {"Reduce_scatter", [&] { MPI_Reduce_scatter_block(s, r, floats / ranks, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }},
                {"Allgather", [&] { MPI_Allgather(s, bytes, MPI_BYTE, r, bytes, MPI_BYTE, MPI_COMM_WORLD); }},
                {"Gather", [&] { MPI_Gather(s, bytes, MPI_BYTE, r, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }},
                {"Scatter", [&] { MPI_Scatter(s, bytes, MPI_BYTE, r, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }},
                {"Alltoall", [&] { MPI_Alltoall(s, bytes, MPI_BYTE, r, bytes, MPI_BYTE, MPI_COMM_WORLD); }},
            };
            measure(job, name, bytes, 1, calls.at(name));
        }
}

}  // namespace

int main(int argc, char** argv) {
    prctl(PR_SET_TIMERSLACK, 1);  // who sleeps wakes up on time
    MPI_Init(&argc, &argv);
    Job job;
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    const bool messages = argc > 2 && std::string(argv[2]) == "messages";
    if (argc != (messages ? 5 : 4)) MPI_Abort(MPI_COMM_WORLD, 2);
    job.samples = std::atoi(argv[1]);
    const std::vector<std::string> sizes = split(argv[3], ',');
    if (messages)
        measure_messages(job, sizes, argv[4]);
    else
        measure_operations(job, split(argv[2], ','), sizes);
    if (job.rank == 0) bench_end();
    MPI_Finalize();
    return 0;
}
