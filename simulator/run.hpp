// Runs the schedules of all ranks on a machine: discrete events in whole picoseconds, ties by (time, rank, number), so that
// every run of the same question has the same bits.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "simulator/network.hpp"
#include "simulator/noise.hpp"
#include "simulator/programs.hpp"
#include "simulator/timeline.hpp"
#include "simulator/trace.hpp"

namespace kumihimo::simulator {

// When ranks begin their calls: all at the same time, when the last one is done; when they leave a barrier; or when they are
// done with the call before.
enum class Start : std::uint8_t { window, barrier, loop };

// Whether a single call that repeats itself is simulated in part (shortening.hpp): where that saves much, wherever it can be,
// or never. Never with noise, which does not repeat itself, nor where the path, pairs or the loads of slices are wanted.
enum class Shorten : std::uint8_t { automatic, always, never };

struct Question {
    int calls = 1;
    Start start = Start::loop;
    Shorten shorten = Shorten::automatic;
    std::int64_t sampled = 20'000'000;  // messages of an exchange of each with each that are simulated at most
    Skew skew;                          // in a loop of the first call only
    Noise noise;
    std::uint64_t seed = 1;
    std::string sharing = "reservation";  // or "flows": how messages share the network
    int slices = 0;                       // of time, in which links' loads are kept
    bool path = false;                    // the critical path is kept
    bool pairs = false;                   // what each pair of ranks sends is kept
    std::function<bool()> interrupted = [] { return false; };
};

// What a run takes at least, whatever the order of things: nothing may come out below. chain: where nothing is shared, neither
// links nor processors, the longest chain of steps that wait for each other; zero where calls begin at a barrier, since ranks
// leave it one after the other.
struct Bounds {
    Time link = 0, node = 0, processor = 0, chain = 0;
    int busiest_link = 0, busiest_node = 0, busiest_processor = 0, end_of_chain = 0;
};

// What one rank sent to another one in all calls. A pair whose messages were under way for much longer than alone in the
// network shared its way, or has a slow link on it.
struct Pair {
    std::int64_t messages = 0;
    Bytes bytes = 0;
    Time under_way = 0, alone = 0;
};

struct Answer {
    Time time = 0;         // of one call: the slowest rank's mean; in windows the mean of the slowest ones
    Time fastest = 0;      // the fastest rank's mean
    int slowest = 0;       // which rank it is
    double simulated = 1;  // which share of the call was; the rest follows from it
    Time interval = 0;     // so far `time` may be off, where part of it was simulated: of windows with a certainty of 95 %
    Bounds bounds;         // of one call
    std::int64_t messages = 0, steps = 0;
    std::vector<Bytes> link_bytes;  // payload of all calls
    std::vector<Time> link_busy;    // of all calls
    std::map<std::pair<int, int>, Pair> pairs;
    Timeline timeline{0, 0};
    std::vector<PathStep> path;  // of all calls, to the end of the slowest rank
};

// Throws base::Error where a run gets stuck, or was interrupted.
Answer run(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program,
           const Question& question);

}  // namespace kumihimo::simulator
