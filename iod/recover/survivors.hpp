// What a crash left of one file: markers beside it that say it is incomplete, and journals of records that had not reached it
// (docs/wire-protocol.md, "Records that survive").
#pragma once

#include <string>
#include <vector>

#include "iod/records/journal_format.hpp"

namespace kumihimo::iod::recover {

struct SurvivingJournal {
    std::string path;
    JournalHeader header;
    std::size_t records = 0, data_bytes = 0;  // of its whole blocks
    Offset begin = 0, end = 0;                // where they lie in the file
    std::size_t whole_bytes = 0, file_bytes = 0;
    bool in_use = false;
    bool newer = false;  // than what was written to the file last

    bool damaged() const { return whole_bytes < file_bytes; }
};

struct Survivors {
    std::string file;  // absolute
    std::vector<std::string> markers;
    std::vector<SurvivingJournal> journals;  // in the order in which they are replayed
    std::vector<std::string> unreadable;     // named like a journal, but none, or not readable: why

    bool empty() const { return markers.empty() && journals.empty(); }
    bool in_use() const;
    bool damaged() const;
    // Replaying brings nothing old back: without a marker all that is in the file came with a completed sync, and a journal
    // which is older than that was part of it. (A crash of the whole job before its first drain leaves new journals and no
    // marker.)
    bool replayable() const;
};

// directories: where journals may lie, besides the file's own.
Survivors find_survivors(const std::string& file, std::vector<std::string> directories);

// Writes all whole records into the file and waits for the device; a marker says meanwhile that the file is incomplete. Throws
// std::system_error; nothing was removed then.
void replay(Survivors& survivors);
// Removes journals and markers; replayed: not the damaged journals, and then not the markers either. Throws std::system_error.
void remove(const Survivors& survivors, bool replayed);

}  // namespace kumihimo::iod::recover
