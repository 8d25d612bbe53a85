// Records on their way: what leaves a stage, fills a frame, or goes to a journal at once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod {

struct Batch {
    std::vector<RecordPlace> places;
    std::vector<std::byte> bytes;  // of all, one after the other

    bool empty() const { return places.empty(); }
    void clear() {
        places.clear();
        bytes.clear();
    }
    void add(Offset offset, std::span<const std::byte> data) {
        places.push_back({offset, static_cast<std::uint32_t>(data.size())});
        bytes.insert(bytes.end(), data.begin(), data.end());
    }
    // visit(offset, bytes) for each record, in order.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        std::span<const std::byte> rest(bytes);
        for (const RecordPlace& place : places) {
            visit(place.offset, rest.first(place.bytes));
            rest = rest.subspan(place.bytes);
        }
    }
    std::size_t memory_bytes() const { return bytes.capacity() + places.capacity() * sizeof(RecordPlace); }
};

}  // namespace kumihimo::iod
