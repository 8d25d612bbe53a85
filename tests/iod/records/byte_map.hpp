// What a buffer of records must hold, byte by byte: the oracle of the tests of this room.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <vector>

#include "iod/records/record_buffer.hpp"

namespace kumihimo::iod::testing {

constexpr Offset everything = std::numeric_limits<Offset>::max();

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

}  // namespace kumihimo::iod::testing
