// Writes that were deferred: their bytes, sorted by their place in the file. Later writes win, neighbours merge, so that many
// small writes become few large ones. Pure: flushing is the caller's business.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "mpiio/engine/access.hpp"

namespace kumihimo::mpiio::direct {

class WriteLog {
public:
    explicit WriteLog(Index capacity) : capacity_(capacity) {}

    Index capacity() const { return capacity_; }
    void set_capacity(Index bytes);  // of an empty log
    // Memory of somebody else for an empty log: at least `capacity` bytes; none: memory of its own again.
    void borrow(std::byte* memory);
    bool is_borrowed() const { return memory_ != nullptr && !own_; }
    // Room for bytes that are still to come; what was overwritten goes on taking room until the log is cleared.
    bool fits(Index bytes) const { return bytes <= capacity_ - used_ && pieces() <= most_pieces(); }
    // Pieces take memory, too: about as much as the bytes, at this number.
    Index most_pieces() const { return 16 + capacity_ / 64; }
    // The place for the bytes of a write to [offset, offset + bytes), bytes > 0. Precondition: they fit.
    std::byte* add(Index offset, Index bytes);
    // Forgets what lies in [begin, end): it was written in another way.
    void cut(Index begin, Index end);
    void clear();

    bool empty() const { return pieces_.empty(); }
    Index bytes() const { return bytes_; }
    Index pieces() const { return static_cast<Index>(pieces_.size()); }
    Index lower() const { return pieces_.begin()->first; }  // of a log that is not empty
    Index upper() const { return pieces_.rbegin()->first + pieces_.rbegin()->second.bytes; }
    bool overlaps(Index begin, Index end) const;
    // The bytes follow each other in memory as they do in the file, from the beginning of the memory on.
    bool in_order() const { return in_order_; }

    // visit(offset, data, bytes), in ascending order.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (const auto& [offset, piece] : pieces_) visit(offset, piece.data, piece.bytes);
    }
    // Pieces that touch each other in the file go together: visit(offset, std::vector<iovec>&).
    template <typename Visit>
    void for_each_stretch(Visit&& visit) const {
        std::vector<iovec> memory;
        Index begin = 0, end = 0;
        for_each([&](Index offset, std::byte* data, Index bytes) {
            if (offset != end && !memory.empty()) visit(begin, memory), memory.clear();
            if (memory.empty()) begin = offset;
            memory.push_back({data, static_cast<std::size_t>(bytes)});
            end = offset + bytes;
        });
        if (!memory.empty()) visit(begin, memory);
    }

private:
    struct Piece {
        std::byte* data;
        Index bytes;
    };
    using Pieces = std::map<Index, Piece>;
    bool extends_last(Index offset, Index bytes) const;

    Index capacity_, used_ = 0, bytes_ = 0;
    std::byte* memory_ = nullptr;
    std::unique_ptr<std::byte[]> own_;
    bool in_order_ = true;
    Pieces pieces_;
    Pieces::iterator last_ = pieces_.end();  // the piece that was added last: most writes follow it
};

}  // namespace kumihimo::mpiio::direct
