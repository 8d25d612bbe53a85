// A journal that lies in memory, and fails when it is told to.
#pragma once

#include <memory>
#include <vector>

#include "iod/records/overflow.hpp"
#include "iod/records/run_merge.hpp"

namespace kumihimo::iod::testing {

class MemoryRun : public SortedRun {
public:
    explicit MemoryRun(std::vector<Batch> pieces) : pieces_(std::move(pieces)) {}
    bool next(Batch& piece) override {
        if (at_ == pieces_.size()) return false;
        piece = pieces_[at_++];
        return true;
    }

private:
    std::vector<Batch> pieces_;
    std::size_t at_ = 0;
};

class MemoryOverflow : public Overflow {
public:
    explicit MemoryOverflow(int writes_before_failure = -1) : writes_left_(writes_before_failure) {}

    bool write(const Batch& piece, bool begins_run) override {
        if (writes_left_-- == 0 || merge_) return false;
        if (begins_run) runs_.emplace_back();
        runs_.back().push_back(piece);
        return true;
    }
    bool next(Batch& batch, std::size_t bytes) override {
        if (!merge_) begin_merge();
        batch.clear();
        if (waiting_.empty()) return false;
        batch = std::move(waiting_);
        if (!merge_->next(waiting_, bytes)) waiting_.clear(), merge_.reset();
        return true;
    }
    bool empty() const override { return runs_.empty() && waiting_.empty(); }

private:
    void begin_merge() {
        std::vector<std::unique_ptr<SortedRun>> runs;
        for (std::vector<Batch>& run : runs_) runs.push_back(std::make_unique<MemoryRun>(std::move(run)));
        runs_.clear();
        merge_ = std::make_unique<RunMerge>(std::move(runs));
        if (!merge_->next(waiting_, 1)) merge_.reset();
    }
    int writes_left_;
    std::vector<std::vector<Batch>> runs_;
    std::unique_ptr<RunMerge> merge_;
    Batch waiting_;
};

}  // namespace kumihimo::iod::testing
