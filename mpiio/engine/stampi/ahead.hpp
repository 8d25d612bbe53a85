// Reads of a file from its beginning to its end: what comes next is asked for before the program does. Only of files that are
// open for reading alone, so that nobody of this job changes what is on its way; others' changes count after a sync, which
// forgets it (MPI 3.1, 13.6.1).
#pragma once

#include <deque>

#include "mpiio/engine/stampi/reading.hpp"

namespace kumihimo::mpiio::stampi {

class Ahead {
public:
    Moved read(iod::Remote& remote, const Access& access);
    void forget(iod::Remote& remote);  // takes the answers that are still on their way

private:
    struct Asked {
        iod::Remote::Reading reading;
        Index begin, bytes;
        bool answered = false;
        iod::Payload holder = {};
        std::span<const std::byte> found = {};  // in the holder
    };
    Moved from_what_comes(iod::Remote& remote, const Access& access, Index offset);
    iod::Status ask(iod::Remote& remote, Index end);
    iod::Status take_first(iod::Remote& remote);

    std::deque<Asked> asked_;
    Index asked_to_ = 0;  // of the file
    Index next_ = 0;      // where the last read ended
    Index distance_ = 0;  // how far ahead is asked for
};

}  // namespace kumihimo::mpiio::stampi
