// Merges ascending runs of records into one ascending stream in which none overlaps another: where runs overlap, the later run
// wins (the paper on Catwalk, section 3.1: what a journal holds travels along the ring sorted). Pure: a run may lie in a file
// or in memory.
#pragma once

#include <memory>
#include <vector>

#include "iod/records/batch.hpp"

namespace kumihimo::iod {

class SortedRun {
public:
    virtual ~SortedRun() = default;
    // The next piece, whose records lie behind those of the piece before, ascending, and do not overlap. false: the end.
    virtual bool next(Batch& piece) = 0;
};

class RunMerge {
public:
    explicit RunMerge(std::vector<std::unique_ptr<SortedRun>> runs);  // the oldest first
    // The next records, about so many bytes; replaces what is in `batch`. false: the end.
    bool next(Batch& batch, std::size_t bytes);

private:
    // The record of a run that is next, or what is left of it.
    struct Head {
        std::unique_ptr<SortedRun> run;
        Batch piece;
        std::size_t at = 0, at_byte = 0;
        Offset begin = 0;
        std::span<const std::byte> data;  // empty: the run has ended

        Offset end() const { return begin + static_cast<Offset>(data.size()); }
        void load();
        void skip_to(Offset offset);
    };
    Head* lowest();
    void take(Head& head, Batch& batch);
    std::vector<Head> heads_;
};

}  // namespace kumihimo::iod
