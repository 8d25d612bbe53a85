// Variants of one operation inside one program: short batches of each in turn, so that what happens to the machine happens to
// all of them, printed as records.
#pragma once

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "bench/records.h"

namespace bench {

struct Variant {
    const char* name;
    std::function<void()> run;
    std::string file = {};  // that it writes, if any
};

// Microseconds of one call. The first call is not counted: no variant pays for what the one before it left in the caches.
inline double batch(const std::function<void()>& run, int repetitions, MPI_Comm together) {
    MPI_Barrier(together);
    run();
    const double start = MPI_Wtime();
    for (int i = 0; i < repetitions; ++i) run();
    const double seconds = MPI_Wtime() - start;
    MPI_Barrier(together);
    return seconds / repetitions * 1e6;
}

// together: the ranks that call this at the same time; the first of them prints its times.
inline void take_turns(const char* operation, long long bytes, const std::vector<Variant>& variants, double seconds,
                       MPI_Comm together = MPI_COMM_WORLD) {
    constexpr double batch_us = 300;
    double slowest = batch_us;
    std::vector<int> repetitions;
    for (const Variant& variant : variants) {
        double fastest = 1e9;
        for (int attempt = 0; attempt < 4; ++attempt) {
            const int calls = fastest > batch_us && attempt > 0 ? 1 : 4;
            fastest = std::min(fastest, batch(variant.run, calls, together));
            MPI_Bcast(&fastest, 1, MPI_DOUBLE, 0, together);  // all take the same number of calls
        }
        repetitions.push_back(static_cast<int>(std::clamp(batch_us / std::max(fastest, 1e-3), 1.0, 10000.0)));
        slowest = std::max(slowest, fastest);
    }
    const auto count = variants.size();
    const int rounds = static_cast<int>(std::clamp(seconds * 1e6 / (slowest * static_cast<double>(count)), 10.0, 500.0));
    std::vector<std::vector<double>> times(count);
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t one = (i + static_cast<std::size_t>(round)) % count;
            times[one].push_back(batch(variants[one].run, repetitions[one], together));
        }
    int rank = 0;
    MPI_Comm_rank(together, &rank);
    if (rank == 0)
        for (std::size_t i = 0; i < count; ++i) bench_cell(operation, bytes, variants[i].name, times[i].data(), rounds);
}

// Calls of this process that read and write files, and their bytes, whoever makes them (proc(5), /proc/PID/io).
struct FileCalls {
    static constexpr std::array<const char*, 4> names = {"file_bytes_read", "file_bytes_written", "file_reads", "file_writes"};
    std::array<double, 4> values{};

    static FileCalls now() {
        FileCalls calls;
        std::ifstream table("/proc/self/io");
        std::string name;
        for (double& value : calls.values) table >> name >> value;  // rchar, wchar, syscr, syscw
        return calls;
    }
    // Of all ranks, since then; asking is a call, too.
    static FileCalls of_all_since(const FileCalls& start) {
        const FileCalls end = now(), later = now();
        FileCalls mine, all;
        for (std::size_t i = 0; i < names.size(); ++i)
            mine.values[i] = std::max(0.0, 2 * end.values[i] - start.values[i] - later.values[i]);
        MPI_Allreduce(mine.values.data(), all.values.data(), static_cast<int>(names.size()), MPI_DOUBLE, MPI_SUM,
                      MPI_COMM_WORLD);
        return all;
    }
};

// Nobody pays for what another call left to the kernel, nor for pages of an older file: of those some are still on their way to
// the disk, and a call that cuts the file has to wait for them.
inline void make_room_for(const std::string& file) {
    ::unlink(file.c_str());
    const int directory = ::open(file.substr(0, file.rfind('/')).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return;
    ::syncfs(directory);
    ::close(directory);
}

// For what leaves work behind, such as files that the kernel writes back: one call of each variant in random order, the same on
// all ranks, `repetitions` times. The slowest rank counts.
inline void take_random_turns(const char* operation, long long bytes, const std::vector<Variant>& variants, int repetitions) {
    std::vector<std::vector<double>> times(variants.size());
    std::vector<std::array<std::vector<double>, FileCalls::names.size()>> calls(variants.size());
    std::vector<std::size_t> order(variants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    unsigned seed = std::random_device{}();
    MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    std::mt19937 random(seed);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = -1; i < repetitions; ++i) {
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t v : order) {
            if (rank == 0 && !variants[v].file.empty()) make_room_for(variants[v].file);
            MPI_Barrier(MPI_COMM_WORLD);
            const FileCalls before = FileCalls::now();
            const double start = MPI_Wtime();
            variants[v].run();
            double mine = MPI_Wtime() - start, slowest = 0;
            MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            const FileCalls all = FileCalls::of_all_since(before);
            if (i < 0) continue;
            times[v].push_back(1e6 * slowest);
            for (std::size_t n = 0; n < all.values.size(); ++n) calls[v][n].push_back(all.values[n]);
        }
    }
    if (rank != 0) return;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        bench_cell_begin(operation, bytes, variants[v].name);
        bench_cell_values("slowest_us", times[v].data(), repetitions);
        for (std::size_t n = 0; n < FileCalls::names.size(); ++n)
            bench_cell_values(FileCalls::names[n], calls[v][n].data(), repetitions);
        bench_cell_end();
    }
}

}  // namespace bench
