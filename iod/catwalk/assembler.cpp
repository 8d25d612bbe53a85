#include "iod/catwalk/assembler.hpp"

namespace kumihimo::iod::process {

// How long a run becomes is not known when it begins: it is taken to be like the one before, until it is longer.
void Assembler::begin(Offset offset) {
    if (offset == end_) return;
    long_run_ = run_bytes_ >= File::least_uncached_bytes;
    run_bytes_ = 0;
    end_ = offset;
}

void Assembler::put(std::span<const std::byte> bytes) {
    run_bytes_ += bytes.size();
    long_run_ = long_run_ || run_bytes_ >= File::least_uncached_bytes;
    while (!bytes.empty()) {
        if (!piece_) piece_ = pool_.take();
        const std::size_t taken = piece_->add(end_, bytes, long_run_);
        if (taken == 0) finish();
        end_ += static_cast<Offset>(taken);
        bytes = bytes.subspan(taken);
    }
}

void Assembler::finish() {
    if (piece_) ready_(std::move(piece_));
}

}  // namespace kumihimo::iod::process
