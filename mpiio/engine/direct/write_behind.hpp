// Writes that wait in the log, and how they get into the file.
#pragma once

#include "mpiio/engine/direct/state.hpp"

namespace kumihimo::mpiio::direct {

// Writes the log's pieces as few large operations and empties it. A failure is kept for the next collective call that
// agrees, and what could not be written is lost.
std::optional<Failure> flush(State& state);

// Puts a write into the log if it or its pieces are small, where need be after a flush; false: it has to be written now.
// A failure of that flush is kept.
bool write_behind(State& state, const Access& access);
// The same whatever its size, if the log can hold it.
bool write_behind_whole(State& state, const Access& access);

// Before the file is read or written past the log: nothing in the log may be older, nor newer, than what is done there.
std::optional<Failure> flush_what_overlaps(State& state, const Access& access);

// The log as a transfer, for collective flushes. Lives as long as the log does not change.
struct LoggedWrites {
    explicit LoggedWrites(const WriteLog& log);
    View view;
    Memory memory;
    Index bytes;
    Access access() const { return {view, 0, bytes, memory}; }
};

}  // namespace kumihimo::mpiio::direct
