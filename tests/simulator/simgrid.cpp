// One operation by our engine and by SimGrid's, beside each other: the same schedules, routes, rates, latencies and rules of a
// rank's processor. SimGrid moves the messages (max-min fair flows, the model that SMPI uses), and its actors keep the time.
//   simgrid MACHINE NODES SHAPE OPERATION ALGORITHM BYTES [NAME=VALUE ...]      prints: ours, flows of ours, SimGrid's,
//   messages
#include <xbt/log.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <simgrid/s4u.hpp>

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

std::vector<int> extents(const std::string& text) {
    std::vector<int> found;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('x', begin), text.size());
        found.push_back(std::stoi(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return found;
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

// What a rank does, as run.cpp has it: messages first, then what came, then copies and reductions.
class Actor {
public:
    Actor(Job& job, int rank) : job_(job), rank_(rank) {}

    void operator()() {
        const auto ready = [this](Index step) { start(step); };
        steps_.begin(job_.program.steps(rank_, 0), job_.program.look_ahead(rank_, 0));
        steps_.read(common_, ready);
        while (!steps_.complete()) {
            look();
            if (!messages_.empty()) {
                const Index step = steps_.pop(messages_);
                work(job_.machine["message_overhead"]);
                send(step);
            } else if (!received_.empty()) {
                const Index step = steps_.pop(received_);
                work(job_.machine["message_overhead"]);
                steps_.done(step, common_, ready);
            } else if (!local_.empty()) {
                const Index step = steps_.pop(local_);
                const bool reduces = description(step).action == Action::reduce;
                const double bytes = static_cast<double>(description(step).bytes);
                work(job_.machine[reduces ? "reduction_overhead" : "copy_overhead"] +
                     bytes / job_.machine[reduces ? "reduction_rate" : "copy_rate"] * second);
                steps_.done(step, common_, ready);
            } else if (!steps_.complete()) {
                land(static_cast<std::size_t>(sg::Comm::wait_any(comms_)));
            }
        }
        job_.end = std::max(job_.end, sg::Engine::get_clock());
    }

private:
    const Description& description(Index step) { return common_.descriptions[steps_.at(step).description]; }
    void start(Index step) {
        switch (description(step).action) {
            case Action::send:
                steps_.push(messages_, step);
                break;
            case Action::receive:
                comms_.push_back(box(steps_.at(step).peer, rank_, description(step).channel)->get_async<int>(&nothing_));
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
        const int peer = steps_.at(step).peer;
        const Description& what = description(step);
        ++job_.messages;
        const auto wire = static_cast<std::uint64_t>(on_the_wire(job_.machine, static_cast<std::int64_t>(what.bytes)));
        comms_.push_back(box(rank_, peer, what.channel)->put_async(&something_, wire));
        whose_.push_back(step);
        steps_.started(step, common_, [this](Index next) { start(next); });
    }
    // A message leaves at once, whether or not somebody waits for it.
    sg::Mailbox* box(int from, int to, unsigned channel) const {
        const std::string name = fmt::format("{}>{}/{}", from, to, channel);
        sg::Mailbox*& one = job_.boxes[name];
        if (one == nullptr) {
            one = sg::Mailbox::by_name(name);
            one->set_receiver(job_.actors[static_cast<std::size_t>(to)]);
        }
        return one;
    }
    void look() {
        for (std::size_t i = 0; i < comms_.size();)
            if (comms_[i]->test())
                land(i);
            else
                ++i;
    }
    void land(std::size_t i) {
        const Index step = whose_[i];
        comms_.erase(comms_.begin() + static_cast<std::ptrdiff_t>(i));
        whose_.erase(whose_.begin() + static_cast<std::ptrdiff_t>(i));
        if (description(step).action == Action::receive)
            steps_.push(received_, step);
        else
            steps_.done(step, common_, [this](Index next) { start(next); });
    }
    static void work(double picoseconds) { sg::this_actor::sleep_for(picoseconds * seconds); }

    Job& job_;
    int rank_;
    int something_ = 1, *nothing_ = nullptr;
    Rank steps_;
    Queue messages_, received_, local_;
    std::vector<sg::CommPtr> comms_;
    std::vector<Index> whose_;
    Common common_;
};

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
    sg::Engine::set_config("contexts/stack-size:256");
    if (argc < 7) return 2;
    Machine machine = read_machine(argv[1]);
    for (int i = 7; i < argc; ++i) {
        const std::string text = argv[i];
        machine.set(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
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
    const Program program(argv[4], std::string(argv[5]) == "-" ? "" : argv[5], call, std::atoll(argv[6]), false);

    Question question;
    const double ours = static_cast<double>(run(machine, *network, nodes, program, question).time);
    question.sharing = "flows";
    const double flows = static_cast<double>(run(machine, *network, nodes, program, question).time);

    Job job{machine, *network, nodes, program, {}, {}, {}};
    build(job);
    job.actors.resize(nodes.size());
    for (std::size_t rank = 0; rank < nodes.size(); ++rank)
        job.actors[rank] = sg::Actor::create("r" + std::to_string(rank), job.hosts[static_cast<std::size_t>(nodes[rank])],
                                             [&job, rank] { Actor(job, static_cast<int>(rank))(); });
    const auto begin = std::chrono::steady_clock::now();
    engine.run();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%.4f %.4f %.4f %lld %.2f\n", ours / 1e6, flows / 1e6, job.end * 1e6 / program.rounds(),
                static_cast<long long>(job.messages), took);
    return 0;
} catch (const kumihimo::base::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
