#include "iod/records/spill.hpp"

#include <algorithm>

namespace kumihimo::iod {

// A run goes on as long as there is anything behind its end: with records in random order it becomes twice as long as the
// buffer (Knuth, The Art of Computer Programming, volume 3, section 5.4.1).
bool Spill::write(RecordBuffer& buffer) {
    const bool first = empty();
    Batch piece;
    Offset end = first ? 0 : take(buffer, run_end_, piece);
    const bool begins_run = piece.empty();
    if (begins_run) end = take(buffer, buffer.lowest(), piece);
    if (!overflow_->write(piece, begins_run)) {
        failed_ = true;
        piece.for_each([&](Offset offset, std::span<const std::byte> data) { buffer.add(offset, data); });
        return false;
    }
    run_end_ = end;
    highest_end_ = std::max(first ? 0 : highest_end_, end);
    bytes_written_ += piece.bytes.size();
    return true;
}

// The end of the last one.
Offset Spill::take(RecordBuffer& buffer, Offset from, Batch& piece) const {
    Taken taken{};
    while (piece.bytes.size() < piece_bytes_ && buffer.take(from, everything, taken, piece))
        from = taken.offset + static_cast<Offset>(taken.bytes);
    return from;
}

bool Spill::next_piece() {
    if (at_ < back_.places.size()) return true;
    at_ = at_byte_ = 0;
    if (overflow_->next(back_, piece_bytes_)) return true;
    back_ = {};
    return false;
}

void Spill::read_back(RecordBuffer& buffer, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes && next_piece(); ++at_) {
        const RecordPlace& place = back_.places[at_];
        if (!buffer.fits(place.bytes)) return;
        buffer.add_under(place.offset, std::span(back_.bytes).subspan(at_byte_, place.bytes));
        at_byte_ += place.bytes;
        done += place.bytes;
        limit_ = place.offset + place.bytes;
    }
    if (empty()) coming_back_ = false, limit_ = 0;
}

}  // namespace kumihimo::iod
