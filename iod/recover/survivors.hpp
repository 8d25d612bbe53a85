// What a crash left of one file: marks beside it that say it is incomplete, and journals of records that had not reached it
// (docs/explanation/wire-protocol.md, "Records that survive").
#pragma once

#include <string>
#include <vector>

#include "iod/marks/marks.hpp"
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
    std::string file;  // absolute, without links
    marks::Place place;
    std::vector<marks::Mark> marks;          // of crashes and of living writers
    std::vector<SurvivingJournal> journals;  // in the order in which they are replayed
    std::vector<std::string> unreadable;     // named like a journal, but none, or not readable: why

    bool empty() const;
    bool in_use() const;      // a running program writes the file
    bool incomplete() const;  // by a crash
    bool left() const;        // anything, by a crash
    bool damaged() const;
    // Replaying brings nothing old back: an opening without a mark had completed its last sync, and a journal of it which is
    // older than the file was part of that. (A crash of the whole job before its first drain leaves new journals and no mark.)
    bool replayable() const;
    bool has_mark_of(const Opening& opening) const;
    // A running program needs it: its own, or of an opening that lives on other hosts.
    bool in_use(const SurvivingJournal& journal) const;
};

// directories: where journals may lie, besides the file's own.
Survivors find_survivors(const std::string& file, std::vector<std::string> directories);

// Writes all whole records into the file and waits for the device; marks say meanwhile that the file is incomplete. Throws
// std::system_error; nothing was removed then.
void replay(Survivors& survivors);
// Removes journals and marks, but for those in use; replayed: not the damaged journals, and then not the marks either. Throws
// std::system_error.
void remove(const Survivors& survivors, bool replayed);

}  // namespace kumihimo::iod::recover
