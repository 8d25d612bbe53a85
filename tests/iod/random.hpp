// Random numbers of a test of iod: a failed run tells its seed, KUMIHIMO_SEED=<number> repeats it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

namespace kumihimo::iod {

inline bool long_tests() {
    return std::getenv("KUMIHIMO_TEST_LONG") != nullptr;
}

class Random {
public:
    Random() : seed_(chosen_seed()), engine_(seed_) {}
    std::uint64_t seed() const { return seed_; }
    std::int64_t between(std::int64_t low, std::int64_t high) { return std::uniform_int_distribution(low, high)(engine_); }

private:
    static std::uint64_t chosen_seed() {
        const char* const given = std::getenv("KUMIHIMO_SEED");
        const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
        testing::Test::RecordProperty("seed", std::to_string(seed));
        return seed;
    }
    std::uint64_t seed_;
    std::mt19937_64 engine_;
};

}  // namespace kumihimo::iod
