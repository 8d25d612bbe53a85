// One operation by our engine and by SimGrid's, beside each other: the same schedules, routes, rates, latencies and rules of a
// rank's processor. SimGrid moves the messages (max-min fair flows, the model that SMPI uses), and its actors keep the time.
//
//   simgrid mailboxes|mpi MACHINE NODES SHAPE OPERATION ALGORITHM BYTES [NAME=VALUE ...] [blocks=BYTES,...]
//
// blocks: of v forms, each rank's. mpi: each rank is a process of SMPI, and its messages are MPI's. Prints microseconds of
// ours, of our flows and of SimGrid's, the number of messages, and the seconds that each of the three took.
#include <smpi/smpi.h>
#include <xbt/log.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <simgrid/s4u.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/format.hpp"
#include "simulator/rank.hpp"
#include "simulator/run.hpp"
#include "simulator/sharing.hpp"

namespace {

using namespace kumihimo::simulator;
using kumihimo::collectives::Action;
namespace sg = simgrid::s4u;

constexpr double seconds = 1 / second;

template <typename Number>
std::vector<Number> numbers(const std::string& text, char separator) {
    std::vector<Number> found;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        found.push_back(static_cast<Number>(std::stoll(text.substr(begin, end - begin))));
        begin = end + 1;
    }
    return found;
}
std::vector<int> extents(const std::string& text) {
    return numbers<int>(text, 'x');
}

struct Job {
    const Machine& machine;
    const Network& network;
    const std::vector<int>& nodes;
    const Program& program;
    std::vector<sg::Host*> hosts;
    std::vector<sg::ActorPtr> actors;
    std::map<std::string, sg::Mailbox*> boxes;
    double end = 0;
    std::int64_t messages = 0;
};

// A link for each of ours, and one for each node's way out and in. The latency of a message lies on its way out.
void build(Job& job) {
    sg::NetZone* const zone = sg::create_full_zone("machine");
    std::vector<const sg::Link*> links, out, in;
    for (int link = 0; link < job.network.links(); ++link)
        links.push_back(zone->create_link("l" + std::to_string(link), job.network.rate(link))
                            ->set_latency(static_cast<double>(job.network.latency(link)) * seconds)
                            ->seal());
    for (int node = 0; node < job.network.nodes(); ++node) {
        const std::string name = std::to_string(node);
        job.hosts.push_back(zone->create_host("h" + name, 1e9));
        job.hosts.back()->seal();
        out.push_back(zone->create_link("o" + name, job.machine["node_rate"])
                          ->set_latency(job.machine["message_latency"] * seconds)
                          ->seal());
        in.push_back(zone->create_link("i" + name, job.machine["node_rate"])->seal());
    }
    std::vector<int> path;
    for (int from = 0; from < job.network.nodes(); ++from)
        for (int to = 0; to < job.network.nodes(); ++to) {
            if (from == to) continue;
            path.clear();
            job.network.route(from, to, path);
            std::vector<sg::LinkInRoute> way{sg::LinkInRoute(out[static_cast<std::size_t>(from)])};
            for (const int link : path) way.emplace_back(links[static_cast<std::size_t>(link)]);
            way.emplace_back(in[static_cast<std::size_t>(to)]);
            zone->add_route(job.hosts[static_cast<std::size_t>(from)]->get_netpoint(),
                            job.hosts[static_cast<std::size_t>(to)]->get_netpoint(), nullptr, nullptr, way, false);
        }
    zone->seal();
}

// A rank's messages by SimGrid's mailboxes. They leave at once, whether or not somebody waits for them.
class Mailboxes {
public:
    Mailboxes(Job& job, int rank) : job_(job), rank_(rank) {}

    void receive(int from, unsigned channel, std::uint64_t /*bytes*/) {
        comms_.push_back(box(from, rank_, channel)->get_async<int>(&nothing_));
    }
    void send(int to, unsigned channel, std::uint64_t bytes) {
        comms_.push_back(box(rank_, to, channel)->put_async(&something_, bytes));
    }
    bool complete(std::size_t i) { return comms_[i]->test(); }
    std::size_t wait() { return static_cast<std::size_t>(sg::Comm::wait_any(comms_)); }
    void drop(std::size_t i) { comms_.erase(comms_.begin() + static_cast<std::ptrdiff_t>(i)); }

private:
    sg::Mailbox* box(int from, int to, unsigned channel) const {
        const std::string name = fmt::format("{}>{}/{}", from, to, channel);
        sg::Mailbox*& one = job_.boxes[name];
        if (one == nullptr) {
            one = sg::Mailbox::by_name(name);
            one->set_receiver(job_.actors[static_cast<std::size_t>(to)]);
        }
        return one;
    }

    Job& job_;
    int rank_;
    int something_ = 1, *nothing_ = nullptr;
    std::vector<sg::CommPtr> comms_;
};

// The same by SMPI, a channel being a tag. Nobody looks at the data, so all ranks share them.
class Mpi {
public:
    Mpi(Job& /*job*/, int /*rank*/) { MPI_Init(nullptr, nullptr); }
    ~Mpi() { MPI_Finalize(); }
    Mpi(const Mpi&) = delete;

    void receive(int from, unsigned channel, std::uint64_t bytes) {
        if (bytes > most_bytes) throw kumihimo::base::Error("a message is too long to be sent by SMPI here");
        MPI_Irecv(into_, static_cast<int>(bytes), MPI_BYTE, from, static_cast<int>(channel), MPI_COMM_WORLD,
                  &requests_.emplace_back());
    }
    void send(int to, unsigned channel, std::uint64_t bytes) {
        MPI_Isend(from_, static_cast<int>(bytes), MPI_BYTE, to, static_cast<int>(channel), MPI_COMM_WORLD,
                  &requests_.emplace_back());
    }
    bool complete(std::size_t i) {
        int flag = 0;
        MPI_Test(&requests_[i], &flag, MPI_STATUS_IGNORE);
        return flag != 0;
    }
    std::size_t wait() {
        int i = 0;
        MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &i, MPI_STATUS_IGNORE);
        return static_cast<std::size_t>(i);
    }
    void drop(std::size_t i) { requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(i)); }

private:
    static constexpr std::uint64_t most_bytes = 1 << 29;
    static inline char from_[most_bytes], into_[most_bytes];  // only what messages touch is there
    std::vector<MPI_Request> requests_;
};

// What a rank does, as run.cpp has it: messages first, then what came, then copies and reductions.
template <typename Messages>
class Actor {
public:
    Actor(Job& job, int rank) : job_(job), rank_(rank), under_way_(job, rank) {}

    void operator()() {
        const auto ready = [this](Index step) { start(step); };
        steps_.begin(job_.program.steps(rank_, 0), job_.program.look_ahead(rank_, 0));
        steps_.read(common_, ready);
        while (!steps_.complete()) {
            look();
            if (!messages_.empty()) {
                const Index step = steps_.pop(messages_);
                work(job_.machine["send_overhead"]);
                send(step);
            } else if (!received_.empty()) {
                const Index step = steps_.pop(received_);
                work(job_.machine["receive_overhead"]);
                steps_.done(step, common_, ready);
            } else if (!local_.empty()) {
                const Index step = steps_.pop(local_);
                const bool reduces = description(step).action == Action::reduce;
                const double bytes = static_cast<double>(description(step).bytes);
                work(job_.machine[reduces ? "reduction_overhead" : "copy_overhead"] +
                     bytes / job_.machine[reduces ? "reduction_rate" : "copy_rate"] * second);
                steps_.done(step, common_, ready);
            } else if (!steps_.complete()) {
                land(under_way_.wait());
            }
        }
        job_.end = std::max(job_.end, sg::Engine::get_clock());
    }

private:
    const Description& description(Index step) { return common_.descriptions[steps_.at(step).description]; }
    std::uint64_t on_wire(const Description& what) const {
        return static_cast<std::uint64_t>(on_the_wire(job_.machine, static_cast<std::int64_t>(what.bytes)));
    }
    void start(Index step) {
        const Description& what = description(step);
        switch (what.action) {
            case Action::send:
                steps_.push(messages_, step);
                break;
            case Action::receive:
                under_way_.receive(steps_.at(step).peer, what.channel, on_wire(what));
                whose_.push_back(step);
                steps_.started(step, common_, [this](Index next) { start(next); });
                break;
            case Action::reduce:
            case Action::copy:
                steps_.push(local_, step);
                break;
        }
    }
    void send(Index step) {
        const Description& what = description(step);
        ++job_.messages;
        under_way_.send(steps_.at(step).peer, what.channel, on_wire(what));
        whose_.push_back(step);
        steps_.started(step, common_, [this](Index next) { start(next); });
    }
    void look() {
        for (std::size_t i = 0; i < whose_.size();)
            if (under_way_.complete(i))
                land(i);
            else
                ++i;
    }
    void land(std::size_t i) {
        const Index step = whose_[i];
        under_way_.drop(i);
        whose_.erase(whose_.begin() + static_cast<std::ptrdiff_t>(i));
        if (description(step).action == Action::receive)
            steps_.push(received_, step);
        else
            steps_.done(step, common_, [this](Index next) { start(next); });
    }
    static void work(double picoseconds) { sg::this_actor::sleep_for(picoseconds * seconds); }

    Job& job_;
    int rank_;
    Rank steps_;
    Queue messages_, received_, local_;
    Messages under_way_;
    std::vector<Index> whose_;  // the steps of what is under way
    Common common_;
};

void add_actors(Job& job) {
    job.actors.resize(job.nodes.size());
    for (std::size_t rank = 0; rank < job.nodes.size(); ++rank)
        job.actors[rank] = sg::Actor::create("r" + std::to_string(rank), job.hosts[static_cast<std::size_t>(job.nodes[rank])],
                                             [&job, rank] { Actor<Mailboxes>(job, static_cast<int>(rank))(); });
}

// SMPI knows its processes by their properties.
void add_processes(Job& job) {
    const std::string instance = "ranks";
    SMPI_app_instance_register(instance.c_str(), nullptr, static_cast<int>(job.nodes.size()));
    for (std::size_t rank = 0; rank < job.nodes.size(); ++rank) {
        const auto process = sg::Actor::init("r" + std::to_string(rank), job.hosts[static_cast<std::size_t>(job.nodes[rank])]);
        process->set_property("instance_id", instance);
        process->set_property("rank", std::to_string(rank));
        process->start([&job, rank] { Actor<Mpi>(job, static_cast<int>(rank))(); });
    }
}

template <typename Work>
double seconds_of(Work&& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) try {
    xbt_log_control_set("root.threshold:warning");
    sg::Engine engine(&argc, argv);
    sg::Engine::set_config("network/model:CM02");
    sg::Engine::set_config("network/TCP-gamma:0");
    sg::Engine::set_config("network/crosstraffic:0");
    sg::Engine::set_config("surf/precision:1e-12");
    for (const char* const one : {"network/bandwidth-factor:1", "network/latency-factor:1", "network/weight-S:0"})
        sg::Engine::set_config(one);
    for (const char* const one : {"smpi/simulate-computation:no", "smpi/send-is-detached-thresh:536870912", "smpi/test:0"})
        sg::Engine::set_config(one);
    sg::Engine::set_config("contexts/stack-size:256");
    if (argc < 8) return 2;
    const bool mpi = std::string_view(argv[1]) == "mpi";
    ++argv, --argc;
    Machine machine = read_machine(argv[1]);
    machine.in_turn = false;  // as SimGrid has it
    std::vector<Bytes> blocks;
    for (int i = 7; i < argc; ++i) {
        const std::string text = argv[i], name = text.substr(0, text.find('=')), value = text.substr(text.find('=') + 1);
        if (name == "blocks")
            blocks = numbers<Bytes>(value, ',');
        else
            machine.set(name, value);
    }
    const std::vector<int> shape = extents(argv[3]);
    kumihimo::collectives::Call call;
    for (std::size_t i = 0; i < shape.size(); ++i) call.torus.extents[i] = shape[i];
    call.ranks = call.torus.ranks();
    call.segment_bytes = machine.size("segment");
    call.work_limit = machine.size("work_space");
    call.element_bytes = 4;
    const auto network = make_network(machine, call.ranks, extents(std::string(argv[2]) == "-" ? "" : argv[2]));
    const std::vector<int> nodes = network->place(shape);
    Program program(argv[4], std::string(argv[5]) == "-" ? "" : argv[5], call, std::atoll(argv[6]), false, blocks);
    program.set_ahead(static_cast<std::size_t>(machine["look_ahead"]));

    Question question;
    double ours = 0, flows = 0;
    const double took_ours =
        seconds_of([&] { ours = static_cast<double>(run(machine, *network, nodes, program, question).time); });
    question.sharing = "flows";
    const double took_flows =
        seconds_of([&] { flows = static_cast<double>(run(machine, *network, nodes, program, question).time); });

    Job job{machine, *network, nodes, program, {}, {}, {}};
    if (mpi) SMPI_init();
    build(job);
    if (mpi)
        add_processes(job);
    else
        add_actors(job);
    const double took = seconds_of([&] { engine.run(); });
    if (mpi) SMPI_finalize();
    std::printf("%.4f %.4f %.4f %lld %.3f %.3f %.3f\n", ours / 1e6, flows / 1e6, job.end * 1e6 / program.rounds(),
                static_cast<long long>(job.messages), took_ours, took_flows, took);
    return 0;
} catch (const kumihimo::base::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
