#include "iod/records/queue.hpp"

#include <utility>

namespace kumihimo::iod {

bool Queue::last_has_room(std::size_t bytes) const {
    if (batches_.empty()) return false;
    const Batch& last = batches_.back();
    return last.bytes.size() + bytes <= last.bytes.capacity() && last.places.size() < last.places.capacity();
}

Batch Queue::fresh(std::size_t bytes) {
    Batch batch = std::exchange(spare_, {});
    batch.clear();
    batch.bytes.reserve(std::max(batch_bytes_, bytes));
    batch.places.reserve(most_records());
    return batch;
}

void Queue::add(Offset offset, std::span<const std::byte> data) {
    if (!last_has_room(data.size())) {
        batches_.push_back(fresh(data.size()));
        memory_bytes_ += batches_.back().memory_bytes();
    }
    batches_.back().add(offset, data);
}

bool Queue::overlaps(Offset begin, Offset end) const {
    for (const Batch& batch : batches_)
        for (const RecordPlace& place : batch.places)
            if (place.offset < end && place.offset + place.bytes > begin) return true;
    return false;
}

Offset Queue::highest_end() const {
    Offset highest = 0;
    for (const Batch& batch : batches_)
        for (const RecordPlace& place : batch.places) highest = std::max(highest, place.offset + place.bytes);
    return highest;
}

}  // namespace kumihimo::iod
