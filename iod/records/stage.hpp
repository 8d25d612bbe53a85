// One host's stage of the pipeline towards one server (the paper on Catwalk, sections 2 and 3; figures 2 and 3): records of the
// ranks here and of the hosts behind come in, sorted ones go out to the next host or, at the root, to the writer. It decides
// what may come in, what goes out, and when a drain is complete. Pure: whoever owns it moves the bytes, and the model checker
// of tests/iod explores it exhaustively.
//
// What makes later writes win: whatever lies here over the same bytes is one record, and what leaves later comes later at the
// next stage, to the file. So the queue leaves before the buffer, the buffer never before what is older in the overflow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "iod/protocol/messages.hpp"
#include "iod/records/batch.hpp"
#include "iod/records/overflow.hpp"
#include "iod/records/record_buffer.hpp"

namespace kumihimo::iod {

struct StageOptions {
    Method method = Method::sort;  // immediate, journal or sort; automatic: it chooses from what it sees
    bool merge = true;
    std::size_t largest_record = 32 << 10;
    std::size_t sort_buffer = 64 << 20;   // all memory of this stage
    std::size_t batch_bytes = 256 << 10;  // about as many bytes leave at a time
    std::size_t early_bytes = 2 << 20;    // a stretch of so many adjacent bytes leaves before the buffer is full; 0: never
    bool way_out_is_a_network = false;    // automatic: a journal is worth it only on another disk than the file's
    int children = 0;
};

class Stage {
public:
    static constexpr int ranks_here = -1;  // source of records that this host's ranks wrote

    Stage(const StageOptions& options, Overflow* overflow);
    ~Stage();

    // ---- coming in ----
    // Whether a record of so many bytes may be put in now; false: let something out first, by next(). Never false for ever
    // while batches are taken: when next() finds nothing either, it is true. To be asked for each record, and again after
    // next(). The method journal makes room by writing to the overflow.
    bool has_room(std::size_t bytes);
    void put(int source, Offset offset, std::span<const std::byte> data);  // split at largest_record
    // The source has sent all that belongs to this drain. When all (the ranks here and every child) have, the stage empties
    // itself.
    void drain(int source, std::uint64_t epoch);
    // A source is gone: it will send nothing more and counts as drained for ever.
    void lose(int source);

    // ---- going out ----
    // The next batch that should leave now, because the buffer is full, because a drain lets it, or because the method says so.
    // While sources still drain, nothing leaves that one of them may precede (pipelined merge), unless the buffer is full.
    bool next(RecordSink& sink);
    bool next(Batch& batch);  // replaces what is in it
    // All that lies in [begin, end) must leave before a read of it is passed on: to be called until it is false.
    bool next_in(Offset begin, Offset end, RecordSink& sink);
    bool next_in(Offset begin, Offset end, Batch& batch);
    // The epoch whose drain is complete: everything has left. Told once.
    std::optional<std::uint64_t> drained();

    bool empty() const;
    Offset highest_end() const;  // of what is held; 0: nothing
    std::size_t memory_bytes() const;
    bool crowded() const;  // what waits to be sorted may soon have to leave as it is
    std::uint64_t arrived_bytes() const;
    std::uint64_t left_bytes() const;

    struct Counts {
        RecordCounts records;
        std::uint64_t seeks = 0;  // batches' records that do not begin where the one before ended
        std::uint64_t bytes_in = 0, bytes_out = 0, overflowed_bytes = 0;
        Method method = Method::sort;  // in force
    };
    Counts counts() const;

private:
    class Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace kumihimo::iod
