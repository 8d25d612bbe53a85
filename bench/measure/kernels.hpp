// One operation of one size on one rank: called again and again by measurement.cpp, checked before and after.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "bench/measure/pattern.hpp"

namespace kumihimo::bench {

class Kernel {
public:
    virtual ~Kernel() = default;

    void call() {
        call_beside([] {});
    }
    template <typename Computation>
    void call_beside(const Computation& computation) {  // the computation runs while a nonblocking operation is under way
        MPI_Request request = MPI_REQUEST_NULL;
        issue(&request);
        computation();
        if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    // A call whose results wrong() looks at, where a call to measure receives twice into the same memory.
    virtual void call_to_check() { call(); }
    virtual void forget() = 0;               // what was received; collective
    virtual std::int64_t wrong() const = 0;  // received bytes or elements that are not what was sent

protected:
    virtual void issue(MPI_Request* request) = 0;
};

// Sends blocks of equal size and receives others: all operations that only move data.
class BlockKernel : public Kernel {
public:
    using Labels = std::vector<std::uint64_t>;
    using Call = std::function<void(std::byte* sent, std::byte* received, MPI_Request* request)>;
    // The labels say what is in each block that is sent, and what must be in each one that is received.
    BlockKernel(std::int64_t bytes, const Labels& sent, const Labels& received, Call call);
    void forget() override { received_.forget(); }
    std::int64_t wrong() const override;

protected:
    void issue(MPI_Request* request) override { call_(sent_.data(), received_.data(), request); }

private:
    std::size_t bytes_;
    Labels labels_;
    Memory sent_, received_;
    Call call_;
};

// Adds vectors of all ranks; this rank receives `count` elements of the sum from `first` on.
class ReductionKernel : public Kernel {
public:
    using Call = std::function<void(float* sent, float* received, MPI_Request* request)>;
    struct Share {
        std::int64_t first, count;
    };
    ReductionKernel(std::int64_t elements, int rank, int ranks, Share received, Call call);
    void forget() override { received_.forget(); }
    std::int64_t wrong() const override;

protected:
    void issue(MPI_Request* request) override { call_(sent_.floats().data(), received_.floats().data(), request); }

private:
    int ranks_;
    Share share_;
    Memory sent_, received_;
    Call call_;
};

}  // namespace kumihimo::bench
