// Error agreement of collective I/O ("no lone exit"): a failure on one node becomes the same failure on all, before anybody
// leaves the call; and the one line that tells the user about it. XMP-IO and xmpnc share it.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kumihimo::xmpio {

// A copy of a communicator for the I/O rooms alone, whose messages cannot meet the user's. Made once for each communicator
// (a copy costs several collective calls) and kept as an attribute of it; it lives as long as anybody holds it.
class Communicator {
public:
    static std::shared_ptr<Communicator> of(MPI_Comm comm);  // collective at first use
    ~Communicator();
    operator MPI_Comm() const { return copy_; }

private:
    explicit Communicator(MPI_Comm comm) { MPI_Comm_dup(comm, &copy_); }
    MPI_Comm copy_ = MPI_COMM_NULL;
};

// Completes a request. Where nodes outnumber processors the wait gives its processor away, which MPI libraries may not do.
void complete(MPI_Request& request);

struct Failure {
    int code = -1;         // what the user's function returns
    std::string text;      // what failed and why, without the node
    int system_error = 0;  // errno where the operating system said why
};

// What the nodes have to know from each other before a transfer starts. One reduction.
struct Terms {
    std::int64_t position = 0;      // must be equal everywhere
    std::uint64_t fingerprint = 0;  // of the arguments: must be equal everywhere
    std::int64_t file_bytes = -1;   // known to node 0 before, to all after
    bool direct = true;             // true on all nodes? (whether memory is mapped)
};

// Collective. The failure of the lowest node that has one, its text naming the node; none if all are well.
std::optional<Failure> agree(MPI_Comm comm, const std::optional<Failure>& mine);
// The same, and the terms; a difference between nodes is a failure.
std::optional<Failure> agree(MPI_Comm comm, const std::optional<Failure>& mine, Terms& terms);

// Remembers the message for xmp_io_error and prints "xmp: function: text" on stderr if `print` (one node of the set) and
// KUMIHIMO_IO_MESSAGES is not 0.
void report(const std::string& function, const Failure& failure, bool print);
const char* last_message();

}  // namespace kumihimo::xmpio
