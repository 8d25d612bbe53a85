// How far the ranks of a host may be ahead of each other. Where ranks write by turns to a stretch of the file, what a slow one
// has still to bring are gaps, and a full sort buffer has to let pieces between gaps go, each a short write. So while the
// buffer fills up, the fast ones wait for the slow one, a moment: they wait without a processor, which it may need.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

namespace kumihimo::iod::process {

class Pace {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::chrono::milliseconds patience{20};

    // All in bytes; lead: how far ahead a rank may be.
    Pace(std::uint64_t buffer, std::uint64_t ranks) : lead_(buffer / 8 / ranks), pause_(buffer) {}

    // What a rank may have brought by now. `least`: what the slowest has; all, left: what has come into the buffer ever,
    // and what has left it. If nothing leaves for a while the slow ones bring nothing that is missing, and nobody waits for
    // them, each time for longer.
    std::uint64_t limit(bool crowded, std::uint64_t least, std::uint64_t all, std::uint64_t left, Clock::time_point now);
    // When to ask again, if somebody is ahead of the limit.
    std::optional<Clock::time_point> deadline() const { return since_ ? std::optional(*since_ + patience) : std::nullopt; }

private:
    std::uint64_t lead_, pause_;  // pause: of bytes that are brought while nobody waits
    std::uint64_t resumes_at_ = 0, left_ = 0;
    std::optional<Clock::time_point> since_;  // nothing has left
};

}  // namespace kumihimo::iod::process
