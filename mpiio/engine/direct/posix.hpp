// The only place of this engine with system calls: files of the operating system, by the second law of I/O (no silent loss).
// Short counts are resumed, EINTR and EAGAIN retried, zero progress three times is an error, and every failure says what was
// tried, where, and why. Calls go through libc's functions, so that a fault injector can stand between.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/persistent.hpp"
#include "mpiio/engine/direct/cost.hpp"
#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio::direct {

// What operations on one file have cost this rank.
struct Meter {
    Counters counters;
    double copying_s = 0;      // from memory to memory
    Regression reads, writes;  // seconds of an operation over its bytes

    // For how many operations the next one's time stands: small ones are timed by sample, because the clock takes a tenth of
    // their time; 0: it is not timed.
    int stands_for(Index bytes) {
        constexpr Index small_bytes = 65536, first = 64, sample = 16;
        if (bytes >= small_bytes || ++small_operations <= first) return 1;
        return small_operations % sample == 0 ? sample : 0;
    }
    Index small_operations = 0;
};

// Until it ends, bytes are copied.
class Copying {
public:
    explicit Copying(Meter& meter) : meter_(meter), start_(MPI_Wtime()) {}
    Copying(const Copying&) = delete;
    ~Copying() { meter_.copying_s += MPI_Wtime() - start_; }

private:
    Meter& meter_;
    const double start_;
};

// The MPI error class of an errno value.
int error_class(int number);

// Which file it is, whatever its name.
using FileIdentity = std::pair<dev_t, ino_t>;

// How far a transfer came, from its first byte on. Fewer bytes than asked for without a failure: the file ended.
struct Moved {
    Index bytes = 0;
    std::optional<Failure> failure;
};

class PosixFile {
public:
    explicit PosixFile(Meter& meter) : meter_(meter) {}
    ~PosixFile();  // of a file that was not closed: only after a failed open, so nobody waits for an answer
    PosixFile(const PosixFile&) = delete;
    PosixFile& operator=(const PosixFile&) = delete;

    std::optional<Failure> open(const std::string& path, int flags, unsigned permissions);
    std::optional<Failure> close();
    bool is_open() const { return descriptor_ >= 0; }
    Meter& meter() { return meter_; }
    const std::string& path() const { return path_; }
    FileIdentity identity() const { return identity_; }  // as it was opened: asking again is a message on a network file system

    // ---- data. Pieces of memory, one after another in the file; `pieces` is used up. most_bytes: of one operation.
    static constexpr Index most_bytes_of_an_operation = base::most_bytes_of_a_call;
    Moved read(Index offset, std::span<iovec> pieces);
    Moved write(Index offset, std::span<iovec> pieces, Index most_bytes = most_bytes_of_an_operation);
    Moved read(Index offset, std::byte* to, Index bytes);
    Moved write(Index offset, const std::byte* from, Index bytes);

    // ---- the file as a whole
    std::optional<Failure> size(Index& bytes);
    std::optional<Failure> truncate(Index bytes);
    std::optional<Failure> allocate(Index bytes);  // never shrinks
    std::optional<Failure> sync();
    // The bytes written so far, if this rank has written many, are handed to the device: what a sync elsewhere finds done.
    std::optional<Failure> write_back();
    long system_magic();  // statfs's number for the file system; 0: unknown

    // ---- locks between open files, on any machine that shares the file: waits for [begin, end)
    std::optional<Failure> lock(Index begin, Index end, bool exclusive);
    std::optional<Failure> unlock(Index begin, Index end);

private:
    struct Direction;
    Moved move(const Direction& direction, Index offset, std::span<iovec> pieces, Index most_bytes);
    bool ended(Index offset, std::optional<Failure>& failure);
    std::optional<Failure> grow_with_zeros(Index from, Index to);
    std::optional<Failure> control_lock(short kind, Index begin, Index end);
    Failure failure(const std::string& what, int number) const;
    template <typename Call>
    auto counted(Call&& call);

    Meter& meter_;
    std::string path_;
    int descriptor_ = -1;
    FileIdentity identity_;
    Index written_back_ = 0;  // bytes that this rank had written before the last write_back
    Index largest_ = 0;       // size that the process may give a file (RLIMIT_FSIZE): to try more would end it by a signal
};

std::optional<Failure> remove_file(const std::string& path);

}  // namespace kumihimo::mpiio::direct
