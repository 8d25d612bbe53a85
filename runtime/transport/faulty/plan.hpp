// What KUMIHIMO_FAULTY_TRANSPORT asks for, as text: "mpi fail=12 node=1", "mpi delay=100 seed=7", "mpi kill=1-200".
#pragma once

#include <cstdint>
#include <string>

namespace kumihimo::transport::faulty {

struct Plan {
    std::string underlying = "mpi";   // the transport that does the work
    std::int64_t fail = 0, kill = 0;  // number of this image's call, from 1; 0: never
    std::int64_t delay_us = 0;        // before each call a random time up to this
    std::uint64_t seed = 1;
    int node = -1;  // only on this image (from 0); -1: on all
};

// Throws base::Error. A range a-b means one number of it, drawn with the seed.
Plan plan_of(const std::string& text);

}  // namespace kumihimo::transport::faulty
