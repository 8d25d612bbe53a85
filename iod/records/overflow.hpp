// Where records go that do not fit into the sort buffer (method journal): a local file, in ascending runs. Implemented in
// iod/process over journal_format.hpp and run_merge.hpp, and by plain vectors in tests.
#pragma once

#include "iod/records/batch.hpp"

namespace kumihimo::iod {

class Overflow {
public:
    virtual ~Overflow() = default;
    // A piece of a run: its records are ascending, do not overlap, and lie behind all of the run so far. false: the journal
    // failed, nothing of the piece is in it; what was written before can still be read.
    virtual bool write(const Batch& run_piece, bool begins_run) = 0;
    // The next records of all runs merged (run_merge.hpp): ascending, none overlaps another, later runs win; about so many
    // bytes. Replaces what is in `batch`. false: there is nothing any more. From the first call until the journal is empty
    // nothing is written. Who implements it fails the session where records cannot be read back, and is empty from then on.
    virtual bool next(Batch& batch, std::size_t bytes) = 0;
    virtual bool empty() const = 0;  // next() would find nothing
};

}  // namespace kumihimo::iod
