// What goes to the file in one job of its writer: records in a row, so that the file gets few long writes, in memory from which
// a device can take them without a copy (O_DIRECT): a long run of records lies at its file offset's place within a block.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "iod/files/file.hpp"
#include "iod/records/batch.hpp"
#include "iod/records/page_memory.hpp"

namespace kumihimo::iod::process {

class Piece {
public:
    struct Run {
        Offset begin;
        std::size_t at, bytes;
        bool aligned;  // as the device wants it
        Offset end() const { return begin + static_cast<Offset>(bytes); }
    };

    explicit Piece(std::size_t capacity_bytes);  // throws std::bad_alloc

    // Takes the beginning of `data`; how much of it. 0: this piece is full. long_run: worth a place that the device likes.
    std::size_t add(Offset offset, std::span<const std::byte> data, bool long_run);
    void clear();

    bool empty() const { return runs_.empty(); }
    std::size_t capacity_bytes() const { return capacity_; }
    const std::vector<Run>& runs() const { return runs_; }
    std::span<const std::byte> bytes_of(const Run& run) const { return {memory_.get() + run.at, run.bytes}; }

private:
    bool begin_run(Offset offset, bool aligned);

    std::size_t capacity_, used_ = 0;
    PageMemory memory_;
    std::vector<Run> runs_;
};

// Pieces that are used again: fresh memory costs more than the copy into it. For two threads.
class PiecePool {
public:
    PiecePool(std::size_t piece_bytes, std::size_t most_kept) : piece_bytes_(piece_bytes), most_kept_(most_kept) {
        free_.reserve(most_kept);
    }

    std::unique_ptr<Piece> take();
    void give_back(std::unique_ptr<Piece> piece);
    std::size_t piece_bytes() const { return piece_bytes_; }
    void set_piece_bytes(std::size_t bytes) { piece_bytes_ = bytes; }  // before the first is taken

private:
    std::size_t piece_bytes_, most_kept_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Piece>> free_;
};

}  // namespace kumihimo::iod::process
