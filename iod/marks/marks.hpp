// The marks beside a file: found, told apart - of a crash, or of a writer that lives - and removed.
//
// A mark belongs to the file whose inode it names, whatever name the file has by now, and to the file with its name, unless
// another file of the directory has that inode. So a renamed file keeps its marks, and so does a copied directory. That an
// inode was used again is seen by the file's time of birth, where there is one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "iod/marks/mark_name.hpp"
#include "iod/marks/place.hpp"

namespace kumihimo::iod::marks {

struct Mark {
    enum class State {
        left,     // by a crash
        in_use,   // locked by its writer
        unknown,  // there are no locks here: its writer may live
        begun     // by a writer that died before it wrote: it says nothing
    };
    MarkName name;
    State state = State::left;
    std::string path;
    std::string writer;      // "I/O process 1234 on host x", as far as it says so
    std::int64_t since = 0;  // seconds since 1970

    bool says_incomplete() const { return state == State::left || state == State::unknown; }
};

// What a directory holds at one moment; none of it was opened.
struct Listing {
    Directory directory;
    std::vector<MarkName> names;
};
Listing list_beside(const std::string& file);

std::vector<Mark> marks_of(const Place& place);
std::vector<Mark> marks_of(const Place& place, Listing listing);  // listed anew if it is of another directory
std::string whose(const Mark& mark);                              // " of I/O process 1234 on host x", if it says so

// What its writer, this process, puts into a mark. locks: it holds it locked.
std::string contents(const Place& place, bool locks);

// errno, 0: it is gone. Marks of living writers are theirs, and so are those that may be being made: nobody else removes them.
int remove(const Place& place, const Mark& mark);
void remove_all(const Place& place, const std::vector<Mark>& marks);

// Deletes a file; with its last name its marks, which say nothing of a file that is no more. errno.
int remove_file(const std::string& path);

}  // namespace kumihimo::iod::marks
