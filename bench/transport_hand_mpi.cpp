// MPI by hand: a window, lock_all once, the call and a flush. A shared window, or one of MPI_Win_allocate between machines and
// where BENCH_WINDOW=allocate asks for it.
#include <mpi.h>

#include <cstdlib>
#include <cstring>

#include "transport_hand.hpp"

namespace bench {

namespace {

bool shared() {
    const char* const kind = std::getenv("BENCH_WINDOW");
    if (kind != nullptr && std::strcmp(kind, "allocate") == 0) return false;
    MPI_Comm here = MPI_COMM_NULL;
    int ranks = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &ranks);
    MPI_Comm_free(&here);
    return ranks == 2;
}

class Mpi final : public Hand {
public:
    explicit Mpi(int target) : target_(target) {
        double* memory = nullptr;
        if (!shared()) {
            MPI_Win_allocate(2 * largest, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window_);
        } else {
            MPI_Info info;
            MPI_Info_create(&info);
            MPI_Info_set(info, "alloc_shared_noncontig", "true");
            MPI_Win_allocate_shared(2 * largest, 1, info, MPI_COMM_WORLD, &memory, &window_);
            MPI_Info_free(&info);
        }
        std::memset(memory, 0, 2 * largest);
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
        MPI_Type_vector(blocks, 1, block_stride, MPI_DOUBLE, &strided_);
        MPI_Type_commit(&strided_);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~Mpi() override {
        MPI_Type_free(&strided_);
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
    }
    void put(const double* from, std::size_t bytes) override {
        const int count = static_cast<int>(bytes);
        MPI_Put(from, count, MPI_BYTE, target_, 0, count, MPI_BYTE, window_);
        MPI_Win_flush(target_, window_);
    }
    void get(double* to, std::size_t bytes) override {
        const int count = static_cast<int>(bytes);
        MPI_Get(to, count, MPI_BYTE, target_, 0, count, MPI_BYTE, window_);
        MPI_Win_flush(target_, window_);
    }
    void put_strided(const double* from) override {
        MPI_Put(from, 1, strided_, target_, 0, 1, strided_, window_);
        MPI_Win_flush(target_, window_);
    }
    void accumulate(const double* from) override {
        MPI_Accumulate(from, doubles, MPI_DOUBLE, target_, 0, doubles, MPI_DOUBLE, MPI_SUM, window_);
        MPI_Win_flush(target_, window_);
    }
    bool adds_whole_numbers() const override { return true; }
    void add(const std::int64_t* from, int count) override {
        MPI_Accumulate(from, count, MPI_INT64_T, target_, 0, count, MPI_INT64_T, MPI_SUM, window_);
        MPI_Win_flush(target_, window_);
    }

private:
    int target_;
    MPI_Win window_ = MPI_WIN_NULL;
    MPI_Datatype strided_ = MPI_DATATYPE_NULL;
};

}  // namespace

std::unique_ptr<Hand> make_hand(int target) {
    return std::make_unique<Mpi>(target);
}

}  // namespace bench
