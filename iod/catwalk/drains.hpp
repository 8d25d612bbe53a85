// Drains of a lane that are under way: all who ask for one are told together what became of it.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "iod/catwalk/ask.hpp"

namespace kumihimo::iod::process {

class Drains {
public:
    struct Draining {
        Drain drain;
        std::vector<Answered> waiting;
    };

    void join(const Drain& drain, Answered&& answered);  // throws ProtocolError: it is not the next one
    std::optional<Draining> take(std::uint64_t epoch);   // all records before it have gone on
    void fail(const Status& why);                        // who waits is told

private:
    std::uint64_t last_epoch_ = 0;
    std::map<std::uint64_t, Draining> under_way_;
};

}  // namespace kumihimo::iod::process
