// ARMCI by hand. It has been started by the transport.
extern "C" {
#include <armci.h>
}

#include <mpi.h>

#include <cstring>
#include <vector>

#include "transport_hand.hpp"

namespace bench {

namespace {

class Armci final : public Hand {
public:
    explicit Armci(int target) : target_(target) {
        int size = 0, rank = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::vector<void*> memory(static_cast<std::size_t>(size));
        ARMCI_Malloc(memory.data(), 2 * largest);
        far_ = static_cast<double*>(memory[static_cast<std::size_t>(target)]);
        near_ = memory[static_cast<std::size_t>(rank)];
        std::memset(near_, 0, 2 * largest);
        ARMCI_Barrier();
    }
    ~Armci() override {
        ARMCI_Barrier();
        ARMCI_Free(near_);
    }
    void put(const double* from, std::size_t bytes) override {
        ARMCI_Put(const_cast<double*>(from), far_, static_cast<int>(bytes), target_);
        ARMCI_Fence(target_);
    }
    void get(double* to, std::size_t bytes) override { ARMCI_Get(far_, to, static_cast<int>(bytes), target_); }
    void put_strided(const double* from) override {
        int stride = block_stride * sizeof(double), count[] = {sizeof(double), blocks};
        ARMCI_PutS(const_cast<double*>(from), &stride, far_, &stride, count, 1, target_);
        ARMCI_Fence(target_);
    }
    void accumulate(const double* from) override {
        double factor = 1;
        ARMCI_Acc(ARMCI_ACC_DBL, &factor, const_cast<double*>(from), far_, doubles * sizeof(double), target_);
        ARMCI_Fence(target_);
    }
    bool adds_whole_numbers() const override { return true; }
    void add(const std::int64_t* from, int count) override {
        static_assert(sizeof(long) == sizeof *from);
        long factor = 1;
        ARMCI_Acc(ARMCI_ACC_LNG, &factor, const_cast<std::int64_t*>(from), far_, count * static_cast<int>(sizeof *from),
                  target_);
        ARMCI_Fence(target_);
    }

private:
    int target_;
    double* far_ = nullptr;
    void* near_ = nullptr;
};

}  // namespace

std::unique_ptr<Hand> make_hand(int target) {
    return std::make_unique<Armci>(target);
}

}  // namespace bench
