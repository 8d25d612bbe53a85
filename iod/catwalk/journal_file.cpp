#include "iod/catwalk/journal_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/format.hpp"
#include "base/persistent.hpp"
#include "iod/catwalk/local_file.hpp"
#include "iod/marks/mark_name.hpp"

namespace kumihimo::iod::process {

namespace {

std::string name_of(const std::string& directory, const JournalHeader& header) {
    const std::string name = fmt::format("kumihimo-journal-{}-{}-{}", marks::hex_of(header.opened), header.host, header.server);
    return (local_directory(directory) / name).string();
}

}  // namespace

// The blocks of one run, each checked when it is read. One that cannot be read ends the run and fails the session.
class JournalFile::Run : public SortedRun {
public:
    Run(JournalFile& journal, std::vector<Block> blocks) : journal_(journal), blocks_(std::move(blocks)) {}

    bool next(Batch& piece) override {
        if (at_ == blocks_.size()) return false;
        const Block& block = blocks_[at_++];
        Payload bytes(block.bytes);
        if (!read_all(journal_.file_.get(), block.position, bytes))
            return fail(Status::of_errno(errno, "cannot read the journal '" + journal_.name_ + "'"));
        const auto whole = decode_journal_block(bytes, block.number, journal_.seed_);
        if (!whole) return fail({Code::io_error, "the journal '" + journal_.name_ + "' was damaged", ""});
        piece.places = whole->block.places;
        piece.bytes.clear();
        piece.bytes.append(whole->data);
        return true;
    }

private:
    bool fail(const Status& why) {
        at_ = blocks_.size();
        journal_.failed_(why);
        return false;
    }
    JournalFile& journal_;
    std::vector<Block> blocks_;
    std::size_t at_ = 0;
};

JournalFile::JournalFile(const std::string& directory, const JournalHeader& header, std::function<void(const Status&)> failed)
    : name_(name_of(directory, header)), header_(header), failed_(std::move(failed)) {}

JournalFile::~JournalFile() = default;  // what was not made durable stays for recovery

bool JournalFile::append(std::span<const std::byte> bytes) {
    if (!write_all(file_.get(), end_, bytes)) return false;
    end_ += bytes.size();
    return true;
}

bool JournalFile::begin() {
    if (file_) return true;
    file_ = base::Descriptor(::open(name_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file_) return false;
    // `kumihimo files recover` leaves it alone; it may look at it just now.
    [[maybe_unused]] const int locked = base::persistent([&] { return ::flock(file_.get(), LOCK_EX | LOCK_NB); });
    std::error_code none;
    header_.path = std::filesystem::weakly_canonical(header_.path, none).string();  // links may lead elsewhere later
    const Payload header = encode_journal_header(header_);
    seed_ = journal_seed(header);
    end_ = blocks_ = 0;
    if (append(header)) return true;
    ::unlink(name_.c_str());
    file_ = {};
    return false;
}

// A piece that is half there is cut off again: what was written before stays whole.
bool JournalFile::write(const Batch& run_piece, bool begins_run) {
    if (!begin()) return false;
    const std::uint64_t position = end_;
    const Payload head = encode_journal_block(blocks_, begins_run, run_piece, seed_);
    if (!append(head) || !append(run_piece.bytes)) {
        end_ = position;
        [[maybe_unused]] const int cut = ::ftruncate(file_.get(), static_cast<off_t>(position));
        return false;
    }
    if (begins_run || runs_.empty()) runs_.emplace_back();
    runs_.back().push_back({blocks_++, position, end_ - position});
    return true;
}

bool JournalFile::next(Batch& batch, std::size_t bytes) {
    if (!merge_) {
        std::vector<std::unique_ptr<SortedRun>> runs;
        for (auto& blocks : runs_) runs.push_back(std::make_unique<Run>(*this, std::move(blocks)));
        runs_.clear();
        if (runs.empty()) return false;
        merge_.emplace(std::move(runs));
    }
    if (merge_->next(batch, bytes)) return true;
    merge_.reset();
    return false;
}

void JournalFile::durable() {
    if (!file_ || !empty()) return;
    ::unlink(name_.c_str());
    file_ = {};
}

}  // namespace kumihimo::iod::process
