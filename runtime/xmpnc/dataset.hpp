// Open datasets: what xmpnc knows about an ncid beside PnetCDF (its nodes, its file), and agreement on PnetCDF's codes.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "runtime/execution/watchdog.hpp"
#include "runtime/xmpio/agreement.hpp"

namespace kumihimo::xmpnc {

using xmpio::Failure;

class Dataset {
public:
    // Null if no such dataset is open through xmpnc.
    static Dataset* find(int ncid);
    static int enter(int ncid, std::shared_ptr<xmpio::Communicator> comm, const std::string& path, bool writable);
    static void remove(int ncid);
    ~Dataset();

    MPI_Comm communicator() const { return *comm_; }
    const std::string& path() const { return path_; }

    // (local; node 0 answers for all) Will the bytes [begin, end) find room? Collective writes of today's MPI libraries hang
    // when the disk is full on one node only, so the room is taken before.
    std::optional<Failure> reserve(long long begin, long long end);
    // (local; node 0 answers for all) Does the file reach byte `end`? They also read behind the end of file without an error.
    std::optional<Failure> reaches(long long end) const;
    void written(long long end) { written_ = std::max(written_, end); }

private:
    Dataset() = default;
    std::shared_ptr<xmpio::Communicator> comm_;
    std::string path_;
    int descriptor_ = -1;     // on node 0
    long long written_ = 0;   // highest byte put since the file was opened
    bool reservable_ = true;  // the file system knows fallocate
};

int code_of(int system_error);  // errno -> PnetCDF's codes

// The watchdog's note that this node is in a collective call; they take their time for a disk.
class CollectiveCall {
public:
    explicit CollectiveCall(const char* function, bool collective = true)
        : site_{nullptr, 0, function}, visit_(collective ? &site_ : nullptr, execution::Visiting::at_length) {}

private:
    XMP_Site site_;
    execution::Visit visit_;
};

// Runs a collective PnetCDF call; every node gets the code of the lowest node that failed.
int agreed_code(const char* function, int ncid, int mine);
template <typename Call>
int same_on_all(const char* function, int ncid, Call&& call) {
    const CollectiveCall noted(function);
    return agreed_code(function, ncid, call());
}

}  // namespace kumihimo::xmpnc
