// Runs the schedules of all ranks on a machine: discrete events in whole picoseconds, ties by (time, rank, number), so that
// every run of the same question has the same bits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simulator/network.hpp"
#include "simulator/programs.hpp"
#include "simulator/timeline.hpp"
#include "simulator/trace.hpp"

namespace kumihimo::simulator {

struct Question {
    int calls = 1;
    std::string sharing = "reservation";  // or "flows": how messages share the network; "unlimited": nothing is shared
    int slices = 0;                       // of time, in which links' loads are kept
    bool path = false;                    // the critical path is kept
    std::function<bool()> interrupted = [] { return false; };
};

// What a run takes at least, whatever the order of things: nothing may come out below.
struct Bounds {
    Time link = 0, node = 0, processor = 0;
    int busiest_link = 0, busiest_node = 0, busiest_processor = 0;
};

struct Answer {
    Time time = 0;     // of one call: the slowest rank's mean
    Time fastest = 0;  // the fastest rank's mean
    int slowest = 0;   // which rank it is
    Bounds bounds;     // of one call
    std::int64_t messages = 0, steps = 0;
    std::vector<Bytes> link_bytes;  // payload of all calls
    Timeline timeline{0, 0};
    std::vector<PathStep> path;  // of all calls, to the end of the slowest rank
};

// Throws base::Error where a run gets stuck, or was interrupted.
Answer run(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program,
           const Question& question);

}  // namespace kumihimo::simulator
