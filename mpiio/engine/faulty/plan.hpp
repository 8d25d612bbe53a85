// What KUMIHIMO_FAULTY_IO asks for, as text: "direct fail=12 rank=1", "direct short=3", "direct delay=100 seed=7", "direct
// kill=1-200".
#pragma once

#include <cstdint>
#include <string>

namespace kumihimo::mpiio::faulty {

struct Plan {
    std::string underlying = "direct";         // the engine that does the work
    std::int64_t fail = 0, cut = 0, kill = 0;  // number of this rank's call, from 1; 0: never. cut: moves a part only
    std::int64_t delay_us = 0;                 // before each call a random time up to this
    std::uint64_t seed = 1;
    int rank = -1;  // only there; -1: on all
};

// Throws base::Error. A range a-b means one number of it, drawn with the seed.
Plan plan_of(const std::string& text);

}  // namespace kumihimo::mpiio::faulty
