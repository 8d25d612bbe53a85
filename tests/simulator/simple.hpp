// A machine whose times can be told by heart, and calls on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulator/least.hpp"
#include "simulator/run.hpp"

namespace kumihimo::simulator {

using collectives::Call;
using collectives::Torus;

constexpr Time ns = 1000;

// Three rings, or a line of nodes, with numbers that are easy to follow: 1 byte takes 1 ns on a link, a hop 10 ns, a message
// 100 ns, and each side's processor 1 us. Nothing else costs.
inline Machine simple(const std::string& network = "torus") {
    Machine machine;
    machine.name = "simple";
    machine.network = network;
    machine.axes = {{"x", 0, true}, {"y", 0, true}, {"z", 0, true}};
    machine.routing = network == "dragonfly" ? "minimal" : "xyz";
    machine.placement = "order";
    const auto set = [&](const char* name, double number) { machine.constants[name] = {"", "", "assumed", "test", number}; };
    set("link_rate", 1e9), set("hop_latency", 10 * ns), set("message_latency", 100 * ns), set("packet", 1 << 30),
        set("packet_header", 0);
    set("interfaces", 6), set("interface_gap", 0), set("node_rate", 1e15), set("message_overhead", 1000 * ns),
        set("eager_limit", 1 << 30);
    set("copy_rate", 1e15), set("copy_overhead", 0), set("reduction_rate", 1e15), set("reduction_overhead", 0);
    set("segment", 1024), set("work_space", 64 << 20);
    set("radix", 8), set("levels", 3), set("taper", 1);
    set("routers_of_group", 3), set("nodes_of_router", 2), set("global_links_of_router", 1), set("global_rate", 1e9);
    set("global_latency", 30 * ns);
    return machine;
}

inline Call call_of(const Machine& machine, const std::string& shape) {
    Call call;
    call.torus = Torus::parse(shape);
    call.ranks = call.torus.ranks();
    call.segment_bytes = machine.size("segment");
    call.work_limit = machine.size("work_space");
    call.element_bytes = 4;
    return call;
}

inline std::vector<int> extents(const Torus& torus) {
    return {torus.extents[0], torus.extents[1], torus.extents[2]};
}

inline std::unique_ptr<Network> network_of(const Machine& machine, const Call& call) {
    return make_network(machine, call.ranks, machine.network == "torus" ? extents(call.torus) : std::vector<int>());
}

inline Answer answer(const Machine& machine, const std::string& operation, const std::string& algorithm,
                     const std::string& shape, Bytes bytes, int calls = 1, bool in_turn = false,
                     const std::string& sharing = "reservation") {
    const Call call = call_of(machine, shape);
    const auto network = network_of(machine, call);
    const Program program(operation, algorithm, call, bytes, in_turn);
    Question question;
    question.calls = calls;
    question.sharing = sharing;
    return run(machine, *network, network->place(extents(call.torus)), program, question);
}

inline Least least_of(const Machine& machine, const std::string& operation, const std::string& algorithm,
                      const std::string& shape, Bytes bytes) {
    const Call call = call_of(machine, shape);
    const auto network = network_of(machine, call);
    return least(machine, *network, network->place(extents(call.torus)), Program(operation, algorithm, call, bytes, false));
}

// Two processors, the latency, one hop, and a byte each nanosecond.
inline Time one_message(Bytes bytes, int hops = 1) {
    return 2 * 1000 * ns + 100 * ns + hops * 10 * ns + bytes * ns;
}

}  // namespace kumihimo::simulator
