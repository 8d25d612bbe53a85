// Integers, strings and lists as bytes (docs/explanation/wire-protocol.md, "Transport"): little-endian, whatever the machine.
// Two archives with the same calls, so that messages.cpp names the fields of each message once for both directions.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "iod/protocol/payload.hpp"

namespace kumihimo::iod {

// What came over a connection makes no sense: it ends.
class ProtocolError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};
// It makes sense, but is more than the other side may have: to connect again is no way on.
class LimitReached : public ProtocolError {
public:
    using ProtocolError::ProtocolError;
};

template <std::integral Integer>
void store_little(std::byte* place, Integer value) {
    auto bits = static_cast<std::make_unsigned_t<Integer>>(value);
    for (std::size_t i = 0; i < sizeof(Integer); ++i) place[i] = static_cast<std::byte>((bits >> (8 * i)) & 0xff);
}

template <std::integral Integer>
Integer load_little(const std::byte* place) {
    std::make_unsigned_t<Integer> bits = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
        bits = static_cast<decltype(bits)>(bits | static_cast<decltype(bits)>(place[i]) << (8 * i));
    return static_cast<Integer>(bits);
}

class Writer {
public:
    template <std::integral Integer>
    requires(!std::same_as<Integer, bool>) void integer(Integer value) {
        bytes_.resize(bytes_.size() + sizeof(Integer));
        store_little(bytes_.data() + bytes_.size() - sizeof(Integer), value);
    }
    void raw(std::span<const std::byte> data) { bytes_.append(data); }
    Payload take() { return std::move(bytes_); }

private:
    Payload bytes_;
};

// Throws ProtocolError rather than reading behind the end; never allocates more than the payload could fill.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <std::integral Integer>
    requires(!std::same_as<Integer, bool>) Integer integer() { return load_little<Integer>(raw(sizeof(Integer)).data()); }
    std::span<const std::byte> raw(std::size_t bytes) {
        if (bytes > rest_.size()) throw ProtocolError("a message ends before its fields do");
        const auto front = rest_.first(bytes);
        rest_ = rest_.subspan(bytes);
        return front;
    }
    std::span<const std::byte> rest() const { return rest_; }

private:
    std::span<const std::byte> rest_;
};

}  // namespace kumihimo::iod
