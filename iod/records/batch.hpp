// Records on their way: what leaves a stage, fills a frame, or goes to a journal at once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod {

// Where records go that leave a stage, one after the other: their bytes come in pieces.
class RecordSink {
public:
    virtual ~RecordSink() = default;
    virtual void begin(Offset offset) = 0;
    virtual void put(std::span<const std::byte> bytes) = 0;  // of the record that began last
};

struct Batch : RecordSink {
    std::vector<RecordPlace> places;
    Payload bytes;  // of all, one after the other

    void begin(Offset offset) override { places.push_back({offset, 0}); }
    void put(std::span<const std::byte> data) override {
        places.back().bytes += static_cast<std::uint32_t>(data.size());
        bytes.append(data);
    }
    bool empty() const { return places.empty(); }
    void clear() {
        places.clear();
        bytes.clear();
    }
    void add(Offset offset, std::span<const std::byte> data) {
        begin(offset);
        put(data);
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
