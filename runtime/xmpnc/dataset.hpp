// Open datasets: what xmpnc knows about an ncid beside PnetCDF (its nodes, its file), and agreement on PnetCDF's codes.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/communicator.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "kumihimo/xmpnc.h"
#include "runtime/execution/watchdog.hpp"
#include "runtime/xmpio/agreement.hpp"

namespace kumihimo::xmpnc {

using xmpio::Failure;

class Dataset {
public:
    // Null if no such dataset is open through xmpnc.
    static Dataset* find(int ncid);
    // file: as this node has it open already, if so.
    static int enter(int ncid, std::shared_ptr<xmpio::Communicator> comm, const std::string& path, bool writable,
                     base::Descriptor file);
    static void remove(int ncid);

    MPI_Comm communicator() const { return *comm_; }
    const std::string& path() const { return path_; }

    // (local; node 0 answers for all) Will the bytes [begin, end) find room? Collective writes of today's MPI libraries hang
    // when the disk is full on one node only, and Open MPI's alone says that all went well: so the room is taken before.
    std::optional<Failure> reserve(long long begin, long long end);
    // (local; node 0 answers for all) Does the file reach byte `end`? They also read behind the end of file without an error.
    std::optional<Failure> reaches(long long end) const;
    void written(long long end) { written_ = std::max(written_, end); }

    // Requests of this node that wait for xmpnc_wait or xmpnc_wait_all: the checks above are made before those move the data.
    void request_posted(bool writes, long long begin, long long end);
    std::optional<Failure> check_requests();
    void requests_ended(bool done);  // to be called whenever the number of requests may have become 0

private:
    Dataset() = default;
    std::shared_ptr<xmpio::Communicator> comm_;
    std::string path_;
    bool answers_ = false;   // node 0
    base::Descriptor file_;  // there, where something needed it
    long long written_ = 0;  // highest byte put since the file was opened
    struct Extent {
        long long begin = 0, end = 0;  // from the lowest to the highest byte
    } to_write_, to_read_;
    bool reservable_ = false;  // on node 0; the file system knows fallocate
};

int code_of(int system_error);  // errno -> PnetCDF's codes

// PnetCDF's code wherever a sentence is not enough.
struct CodedError : base::Error {
    CodedError(int number, const std::string& what) : base::Error(what), code(number) {}
    int code;
};
void require(int code, const std::string& context = {});

// What an exception that leaves `run` tells the caller of xmpnc; other exceptions get the code `otherwise`.
std::optional<Failure> failure_of(const std::function<void()>& run, int otherwise = NC_EINVAL);

// The watchdog's note that this node is in a collective call; they take their time for a disk.
class CollectiveCall {
public:
    explicit CollectiveCall(const char* function, bool collective = true)
        : site_{nullptr, 0, function}, visit_(collective ? &site_ : nullptr, execution::Visiting::at_length) {}

private:
    XMP_Site site_;
    execution::Visit visit_;
};

// The code for the user of a function that has no more to say than `failure`, which is told once (by this node if `print`).
int told(const char* function, std::optional<Failure> failure, bool print);

// Runs a collective PnetCDF call; every node gets the code of the lowest node that failed.
int agreed_code(const char* function, int ncid, int mine);
template <typename Call>
int same_on_all(const char* function, int ncid, Call&& call) {
    const CollectiveCall noted(function);
    return agreed_code(function, ncid, call());
}

}  // namespace kumihimo::xmpnc
