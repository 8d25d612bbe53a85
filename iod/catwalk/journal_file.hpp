// The local file of the method journal: what the sort buffer has no room for, in ascending runs, until a drain takes it back
// (the paper on Catwalk, figure 2). It is there from the first record until a sync or close is complete, so a crash leaves it
// behind for `kumihimo files recover`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "iod/records/journal_format.hpp"
#include "iod/records/overflow.hpp"
#include "iod/records/run_merge.hpp"

namespace kumihimo::iod::process {

class JournalFile : public Overflow {
public:
    // directory empty: TMPDIR, else /tmp. failed: records cannot be read back, the session must fail; called by next().
    JournalFile(const std::string& directory, const JournalHeader& header, std::function<void(const Status&)> failed);
    ~JournalFile() override;

    bool write(const Batch& run_piece, bool begins_run) override;
    bool next(Batch& batch, std::size_t bytes) override;
    bool empty() const override { return runs_.empty() && !merge_; }

    void durable();  // all that came out is where it belongs: the file is not needed any longer

    const std::string& name() const { return name_; }

private:
    struct Block {
        std::uint64_t number, position, bytes;
    };
    class Run;

    bool begin();
    bool append(std::span<const std::byte> bytes);

    std::string name_;
    JournalHeader header_;
    std::function<void(const Status&)> failed_;
    base::Descriptor file_;
    std::uint64_t seed_ = 0, end_ = 0, blocks_ = 0;
    std::vector<std::vector<Block>> runs_;  // that next() has not begun with
    std::optional<RunMerge> merge_;
};

}  // namespace kumihimo::iod::process
