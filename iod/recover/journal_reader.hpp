// A journal that a crash left, read from its file: its blocks as far as they are whole.
#pragma once

#include <functional>
#include <string>

#include "iod/records/journal_format.hpp"

namespace kumihimo::iod::recover {

class JournalReader {
public:
    explicit JournalReader(const std::string& path);  // throws std::system_error
    ~JournalReader();
    JournalReader(const JournalReader&) = delete;
    JournalReader& operator=(const JournalReader&) = delete;

    bool is_journal() const { return opened_.has_value(); }
    const JournalHeader& header() const { return opened_->header; }
    bool in_use() const { return in_use_; }  // a running program writes it
    std::size_t file_bytes() const { return bytes_.size(); }

    // visit(offset, bytes) for each record, in the order in which they were written. Where the whole blocks end: less than
    // file_bytes() if the journal is damaged or cut off.
    using Visit = std::function<void(Offset offset, std::span<const std::byte> bytes)>;
    std::size_t for_each(const Visit& visit) const;

private:
    std::span<const std::byte> bytes_;  // mapped
    std::optional<OpenedJournal> opened_;
    bool in_use_ = false;
};

}  // namespace kumihimo::iod::recover
