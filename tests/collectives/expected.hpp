// What the MPI standard (MPI-4.0, chapter 6) says about each operation's buffers: their sizes, what is in them before, and what
// must be in the receive buffer afterwards.
#pragma once

#include <optional>
#include <vector>

#include "collectives/call.hpp"
#include "tests/collectives/terms.hpp"

namespace kumihimo::collectives::test {

Bytes send_bytes(const Call& call);     // 0 where the buffer is not significant
Bytes receive_bytes(const Call& call);  // likewise

// Before: the input at a byte of a buffer; undefined where there is none.
Term initial(const Call& call, Buffer buffer, Bytes offset);

// Afterwards, at a byte of a rank's receive buffer (calls: of all ranks): the inputs combined there, in the order of ranks.
// None: any value. A byte that must stay untouched has its initial value as the only input, or an empty list.
std::optional<std::vector<Term>> expected(const std::vector<Call>& calls, int rank, Bytes offset);

}  // namespace kumihimo::collectives::test
