// What a relay has to know of files on the other machine to open them again after its connection broke: how they were opened,
// which ones are open, and what the other side kept in memory, the shared pointers. Of requests it looks only at those that
// change this.
#pragma once

#include <map>
#include <optional>

#include "iod/protocol/frame.hpp"

namespace kumihimo::iod::link {

class OpenFiles {
public:
    // `alone`: nobody else shares pointers with these files.
    explicit OpenFiles(bool alone) : alone_(alone) {}

    // An answer that came: what the rank gets instead. `file`: the rank's number of it.
    Payload answered(Type type, std::uint32_t file, const Payload& question, Payload answer, bool again);
    // A file's number at the other side now; 0: what is asked is about none. Throws ProtocolError: it is not open.
    std::uint32_t there(std::uint32_t file) const;

    // ---- after a connection broke ----
    bool hold_locks() const;  // others may have changed what a lock protected
    void begin_again();
    FileOpen opening_now(FileOpen open) const;  // what a rank asked, as it must be asked on this connection
    std::map<std::uint32_t, FileOpen> to_reopen() const;
    // A file that was not found, and for which this was asked without an answer: it may have its other name already.
    bool follow(std::uint32_t file, const FileRename& rename);
    Status reopened(std::uint32_t file, const FileOpened& opened);
    // Calls that set what the other side has forgotten, by files' numbers.
    std::map<std::uint32_t, FileCall> to_restore() const;

private:
    struct File {
        FileOpen open;
        std::uint32_t there;  // number at the other side
        std::uint64_t identity;
        bool locked = false;
    };
    Payload opened(const Payload& question, const Payload& answer);
    void called(std::uint32_t file, const FileCall& call, const Result& result);
    Payload renamed(const FileRename& rename, const Status& answer, bool again);

    bool alone_;
    std::uint32_t last_ = 0;
    std::uint8_t connections_ = 0;  // that broke
    std::map<std::uint32_t, File> files_;
    std::map<Opening, std::int64_t> pointers_;
};

}  // namespace kumihimo::iod::link
