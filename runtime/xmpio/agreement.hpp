// What the nodes agree on in XMP-IO and xmpnc: base/agreement.hpp, the terms of a transfer, and the one line that tells the
// user about a failure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/agreement.hpp"
#include "base/communicator.hpp"
#include "base/completion.hpp"

namespace kumihimo::xmpio {

using base::agree;
using base::Communicator;
using base::complete;
using base::Failure;

// What the nodes have to know from each other before a transfer starts. One reduction.
struct Terms {
    std::int64_t position = 0;      // must be equal everywhere
    std::uint64_t fingerprint = 0;  // of the arguments: must be equal everywhere
    std::int64_t file_bytes = -1;   // as this node sees the file; then the most that any node does
    bool mapped = false;            // whether all nodes reach each other's memory; so on all nodes?
};

// Collective: agrees on a failure and on the terms; a difference between nodes is a failure.
std::optional<Failure> agree(MPI_Comm comm, const std::optional<Failure>& mine, Terms& terms);

// Collective: what the first node has, on all nodes.
void share(MPI_Comm comm, std::int64_t& number);
void share(MPI_Comm comm, std::string& text);

// Remembers the message for xmp_io_error and prints "xmp: function: text" on stderr if `print` (one node of the set) and
// KUMIHIMO_XMPIO_MESSAGES is not 0.
void report(const std::string& function, const Failure& failure, bool print);
const char* last_message();

}  // namespace kumihimo::xmpio
