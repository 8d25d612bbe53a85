// Random numbers of tests: others in every run. A run says its seed; KUMIHIMO_TEST_SEED=<number> repeats it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace kumihimo::support {

inline std::uint64_t seed_of_run() {
    const char* const given = std::getenv("KUMIHIMO_TEST_SEED");
    const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    testing::Test::RecordProperty("seed", std::to_string(seed));
    std::cout << "repeat with KUMIHIMO_TEST_SEED=" << seed << std::endl;
    return seed;
}

class Random {
public:
    explicit Random(std::uint64_t seed = seed_of_run()) : seed_(seed), engine_(seed) {}
    std::uint64_t seed() const { return seed_; }
    std::mt19937_64& engine() { return engine_; }
    std::int64_t between(std::int64_t low, std::int64_t high) { return std::uniform_int_distribution(low, high)(engine_); }
    bool one_of(int n) { return between(1, n) == 1; }
    std::vector<std::byte> data(std::size_t bytes) {
        std::vector<std::byte> made(bytes);
        for (std::byte& byte : made) byte = static_cast<std::byte>(engine_());
        return made;
    }

private:
    std::uint64_t seed_;
    std::mt19937_64 engine_;
};

}  // namespace kumihimo::support
