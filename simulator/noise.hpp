// What differs from run to run: when ranks arrive, and when their processors are interrupted. Each rank draws its own numbers
// from the seed, so that the same seed gives the same bits whatever the order of events.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "simulator/machine.hpp"

namespace kumihimo::simulator {

// How late ranks begin a call: up to `most`, all times as likely as each other; or `mean` late on average, exponentially.
struct Skew {
    Time most = 0, mean = 0;
    bool any() const { return most > 0 || mean > 0; }
};

// Interruptions of a processor: so long, and so far from the end of one to the next one, on average; both are exponentially
// distributed. Work waits until an interruption is over.
struct Noise {
    Time length = 0, interval = 0;
    bool any() const { return length > 0; }
};

// Splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
class Random {
public:
    Random(std::uint64_t seed, std::uint64_t stream) : state_(seed * 0x9e3779b97f4a7c15U + stream * 0xd1342543de82ef95U) {
        next();
    }
    double uniform() { return (static_cast<double>(next() >> 11) + 0.5) / 9007199254740992.0; }  // inside 0 and 1
    Time exponential(Time mean) { return static_cast<Time>(-std::log(uniform()) * static_cast<double>(mean) + 0.5); }

private:
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
        z = (z ^ z >> 27) * 0x94d049bb133111ebU;
        return z ^ z >> 31;
    }

    std::uint64_t state_;
};

class Arrivals {
public:
    Arrivals(const Skew& skew, std::uint64_t seed, int ranks) : skew_(skew) {
        for (int rank = 0; skew.any() && rank < ranks; ++rank) random_.emplace_back(seed, 2 * static_cast<std::uint64_t>(rank));
    }
    Time late(int rank) {
        if (!skew_.any()) return 0;
        Random& random = random_[static_cast<std::size_t>(rank)];
        if (skew_.mean > 0) return random.exponential(skew_.mean);
        return static_cast<Time>(random.uniform() * static_cast<double>(skew_.most) + 0.5);
    }

private:
    Skew skew_;
    std::vector<Random> random_;
};

class Interruptions {
public:
    Interruptions(const Noise& noise, std::uint64_t seed, int ranks) : noise_(noise) {
        for (int rank = 0; noise.any() && rank < ranks; ++rank) {
            next_.push_back({Random(seed, 2 * static_cast<std::uint64_t>(rank) + 1), 0, 0});
            draw(next_.back());
        }
    }
    // When work is done that takes so long and could begin now. Precondition: `now` never falls for a rank.
    Time end(int rank, Time now, Time duration) {
        if (!noise_.any()) return now + duration;
        Next& next = next_[static_cast<std::size_t>(rank)];
        while (next.end <= now) draw(next);
        Time end = std::max(now, next.begin <= now ? next.end : now) + duration;
        for (; next.begin < end; draw(next))
            if (next.begin > now) end += next.end - next.begin;
        return end;
    }

private:
    struct Next {
        Random random;
        Time begin, end;
    };
    void draw(Next& next) {
        next.begin = next.end + next.random.exponential(noise_.interval);
        next.end = next.begin + next.random.exponential(noise_.length);
    }

    Noise noise_;
    std::vector<Next> next_;  // of each rank
};

}  // namespace kumihimo::simulator
