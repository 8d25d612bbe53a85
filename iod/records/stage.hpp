// One node's stage of the pipeline towards one server (paper 003, sections 2 and 3; figures 2 and 3): records of the ranks here
// and of the nodes behind come in, sorted ones go out to the next node or, at the root, to the writer. It decides what may
// come in, what goes out, and when a drain is complete. Pure: whoever owns it moves the bytes, and the model checker of
// tests/iod explores it exhaustively.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "iod/protocol/messages.hpp"
#include "iod/records/record_buffer.hpp"

namespace kumihimo::iod {

// What leaves a stage in order: a batch of records (ascending, each <= largest_record), or the mark that all before a drain has
// left.
struct Batch {
    std::vector<RecordPlace> places;
    std::vector<std::byte> bytes;  // of all, one after the other
    bool empty() const { return places.empty(); }
};

struct StageOptions {
    Method method = Method::sort;  // immediate, journal or sort; automatic: it chooses from what it sees
    bool merge = true;
    std::size_t largest_record = 32 << 10;
    std::size_t sort_buffer = 64 << 20;
    std::size_t batch_bytes = 256 << 10;  // about as many bytes leave at a time
    int children = 0;
};

// Where records go that do not fit (method journal): a local file, in ascending runs. Implemented in iod/process, and by a
// plain vector in tests.
class Overflow {
public:
    virtual ~Overflow() = default;
    virtual bool write(const Batch& run_piece, bool begins_run) = 0;  // false: the journal failed, records go on instead
    virtual bool next(Batch& batch, std::size_t bytes) = 0;  // the merged runs in ascending order, later ones win; false: empty
    virtual bool empty() const = 0;
};

class Stage {
public:
    static constexpr int ranks_here = -1;  // source of records that this node's ranks wrote

    Stage(const StageOptions& options, Overflow* overflow);

    // ---- coming in ----
    // Whether records of so many bytes from this source may be put in now; false: let something out first. Never false for ever
    // while batches are taken.
    bool has_room(std::size_t bytes) const;
    void put(int source, Offset offset, std::span<const std::byte> data);  // split at largest_record
    // The source has sent all that belongs to this drain. When all (the ranks here and every child) have, the stage empties
    // itself.
    void drain(int source, std::uint64_t epoch);
    // A source is gone: it will send nothing more and counts as drained for ever.
    void lose(int source);

    // ---- going out ----
    // The next batch that should leave now, because the buffer is full, because a drain lets it, or because the method says so.
    // While sources still drain, nothing leaves that one of them may precede (pipelined merge), unless the buffer is full.
    bool next(Batch& batch);
    // All that lies in [begin, end) must leave before a read of it is passed on.
    bool next_in(Offset begin, Offset end, Batch& batch);
    // The epoch whose drain is complete: everything has left. Told once.
    std::optional<std::uint64_t> drained();

    Offset highest_end() const;  // of what is held; 0: nothing
    std::size_t memory_bytes() const;

    struct Counts {
        RecordBuffer::Counts records;
        std::uint64_t seeks = 0;  // batches' records that do not begin where the one before ended
        std::uint64_t bytes_in = 0, bytes_out = 0, overflowed_bytes = 0;
        Method method = Method::sort;  // in force
    };
    Counts counts() const;

private:
    class Inside;
    std::shared_ptr<Inside> inside_;
};

}  // namespace kumihimo::iod
