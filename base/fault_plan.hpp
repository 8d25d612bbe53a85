// What the faulty members of our families of backends (transports, file engines) are told to do, as text: "mpi fail=12 node=1",
// "direct short=3", "direct delay=100 seed=7", "mpi kill=1-200".
#pragma once

#include <cstdint>
#include <string>

namespace kumihimo::base {

struct FaultPlan {
    std::string underlying;                    // the member that does the work
    std::int64_t fail = 0, cut = 0, kill = 0;  // number of this node's call, from 1; 0: never. cut: moves a part only
    std::int64_t delay_us = 0;                 // before each call a random time up to this
    std::uint64_t seed = 1;
    int node = -1;  // only there; -1: on all
};

// How a family spells its plans.
struct FaultWords {
    const char* setting;     // for messages: "KUMIHIMO_FAULTY_IO"
    const char* family;      // "engine"
    const char* underlying;  // if the text names none
    const char* node;        // "node", "rank"
    bool cuts;               // whether it knows short=N
};

// Throws Error. A range A-B means one number of it, drawn with the seed.
FaultPlan fault_plan(const std::string& text, const FaultWords& words);

}  // namespace kumihimo::base
