// How many bytes may be carried, in both directions: by one connection, or by all of a session.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "iod/protocol/wire.hpp"

namespace kumihimo::iod::process {

struct Budget {
    static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

    std::string whose;  // for messages: "this channel"
    std::uint64_t bytes = unlimited, carried = 0;
    bool renewed = false;  // whoever connects again has another one

    void check() const {
        if (carried <= bytes) return;
        const std::string why = whose + " has carried as many bytes as it may";
        if (renewed) throw ProtocolError(why);
        throw LimitReached(why);
    }
};

}  // namespace kumihimo::iod::process
