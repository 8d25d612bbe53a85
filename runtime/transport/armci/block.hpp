// ARMCI in this process, and memory that it allocates on all processes.
#pragma once

extern "C" {
#include <armci.h>  // knows nothing of C++
}

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "runtime/transport/pending.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::transport::armci {

void check(int code, const char* what);  // throws base::Error unless code is 0
int world_size();
std::vector<int> world_ranks(MPI_Comm communicator);  // in MPI_COMM_WORLD, of each rank

// ARMCI starts once in a process, on all of MPI_COMM_WORLD; its mutex 0 on each image guards what it cannot do itself. Alone
// there are none: they need a kind of window that Open MPI 4.1 does not make for a single process.
void start();

class Block final : public Region {
public:
    Block(MPI_Comm communicator, const std::vector<int>& ranks, std::size_t bytes);  // collective
    ~Block() override;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    std::byte* at(int rank, std::size_t offset) const { return blocks_[static_cast<std::size_t>(rank)] + offset; }
    Pending pending;

private:
    void* memory_ = nullptr;
    std::vector<std::byte*> blocks_;  // address there of each image's
};

}  // namespace kumihimo::transport::armci
