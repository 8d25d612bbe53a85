// The one-use secrets by which those who connect are known (docs/explanation/wire-protocol.md, "Beginning").
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "iod/link/connection.hpp"

namespace kumihimo::iod::process {

class Tokens {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds lifetime{60};

    Token make(const Role& role, Clock::time_point now = Clock::now());
    // Who may come with it; none: it was never made, is used or too old.
    std::optional<Role> take(const Token& token, Clock::time_point now = Clock::now());
    void forget(std::uint32_t session);
    std::size_t expected() const { return entries_.size(); }  // who may still come

private:
    struct Entry {
        Token token;
        Role role;
        Clock::time_point end;
    };
    std::vector<Entry> entries_;
};

}  // namespace kumihimo::iod::process
