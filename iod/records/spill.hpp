// Between the sort buffer and its overflow (method journal; the paper on Catwalk, figure 2): what does not fit goes there in
// ascending runs, by replacement selection; at a drain it comes back, in ascending order, and leaves with what the buffer
// holds.
#pragma once

#include <limits>

#include "iod/records/overflow.hpp"
#include "iod/records/record_buffer.hpp"

namespace kumihimo::iod {

class Spill {
public:
    static constexpr Offset everything = std::numeric_limits<Offset>::max();

    Spill(Overflow* overflow, std::size_t piece_bytes) : overflow_(overflow), piece_bytes_(piece_bytes) {}

    bool usable() const { return overflow_ != nullptr && !failed_; }
    bool empty() const { return overflow_ == nullptr || (overflow_->empty() && at_ == back_.places.size()); }

    // Moves the lowest records of a buffer that is not empty out; they extend the run if they can. false: the journal failed,
    // and the buffer is as it was.
    bool write(RecordBuffer& buffer);

    // What lies in the overflow comes back: fills the buffer up, under what is there, as far as it has room, with about so many
    // bytes.
    void read_back(RecordBuffer& buffer, std::size_t bytes);
    // What leaves before the next read_back must end here: behind it something older may still come back.
    Offset limit() const { return empty() ? everything : limit_; }
    bool coming_back() const { return coming_back_ && !empty(); }
    void come_back() { coming_back_ = true; }

    Offset highest_end() const { return empty() ? 0 : highest_end_; }
    std::size_t memory_bytes() const { return back_.memory_bytes(); }
    std::uint64_t bytes_written() const { return bytes_written_; }

private:
    Offset take(RecordBuffer& buffer, Offset from, Batch& piece) const;
    bool next_piece();

    Overflow* overflow_;
    std::size_t piece_bytes_;
    bool failed_ = false;
    Offset run_end_ = 0, highest_end_ = 0;  // of the run that is being written, of all
    std::uint64_t bytes_written_ = 0;

    bool coming_back_ = false;
    Batch back_;  // read, and not yet all in the buffer
    std::size_t at_ = 0, at_byte_ = 0;
    Offset limit_ = 0;
};

}  // namespace kumihimo::iod
