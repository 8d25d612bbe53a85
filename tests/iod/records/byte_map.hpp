// What a buffer of records must hold, byte by byte: the oracle of the tests of this room.
#pragma once

#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "iod/records/record_buffer.hpp"

namespace kumihimo::iod::testing {

class ByteMap {
public:
    void add(Offset offset, std::span<const std::byte> data) {
        for (const std::byte byte : data) bytes_[offset++] = byte;
    }
    void add_under(Offset offset, std::span<const std::byte> data) {
        for (const std::byte byte : data) bytes_.emplace(offset++, byte);
    }
    // Takes [offset, offset + bytes) out; false: not all of it was there, or it was something else.
    bool take(Offset offset, std::span<const std::byte> data) {
        for (const std::byte byte : data) {
            const auto found = bytes_.find(offset++);
            if (found == bytes_.end() || found->second != byte) return false;
            bytes_.erase(found);
        }
        return true;
    }
    bool overlaps(Offset begin, Offset end) const {
        const auto at = bytes_.lower_bound(begin);
        return at != bytes_.end() && at->first < end;
    }
    const std::map<Offset, std::byte>& bytes() const { return bytes_; }
    bool operator==(const ByteMap&) const = default;

private:
    std::map<Offset, std::byte> bytes_;
};

// Numbers that KUMIHIMO_SEED repeats.
class Random {
public:
    Random() : seed_(seed()), engine_(seed_) { std::cout << "repeat with KUMIHIMO_SEED=" << seed_ << std::endl; }
    Offset between(Offset low, Offset high) { return std::uniform_int_distribution<Offset>(low, high)(engine_); }
    bool one_of(int n) { return between(1, n) == 1; }
    std::vector<std::byte> data(std::size_t bytes) {
        std::vector<std::byte> made(bytes);
        for (std::byte& byte : made) byte = static_cast<std::byte>(engine_());
        return made;
    }

private:
    static std::uint64_t seed() {
        const char* const given = std::getenv("KUMIHIMO_SEED");
        return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    }
    std::uint64_t seed_;
    std::mt19937_64 engine_;
};

inline int times_longer() {
    return std::getenv("KUMIHIMO_TEST_LONG") != nullptr ? 50 : 1;
}

}  // namespace kumihimo::iod::testing
