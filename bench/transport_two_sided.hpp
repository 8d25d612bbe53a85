// The operations of transport_hand.hpp by messages of two sides, as a program would have them whose processes both know what
// comes: the other process has a receive waiting, and acknowledges. What transports between machines are compared with, too.
#pragma once

#include <mpi.h>

#include <vector>

#include "transport_hand.hpp"

namespace bench {

inline bool several_machines() {
    MPI_Comm here = MPI_COMM_NULL;
    int all = 0, ranks = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &ranks);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_free(&here);
    return ranks < all;
}

class TwoSided final : public Hand {
public:
    TwoSided() : memory_(largest / sizeof(double)), buffer_(largest / sizeof(double)) {
        MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
        int rank = 0;
        MPI_Comm_rank(communicator_, &rank);
        other_ = 1 - rank;
        if (rank != 0) expect();
    }
    ~TwoSided() override {
        if (request_ != MPI_REQUEST_NULL) {
            MPI_Cancel(&request_);
            MPI_Wait(&request_, MPI_STATUS_IGNORE);
        }
        MPI_Comm_free(&communicator_);
    }

    void put(const double* from, std::size_t bytes) override { ask(kind_put, from, bytes, nullptr, 0); }
    void get(double* to, std::size_t bytes) override {
        const long long wanted = static_cast<long long>(bytes);
        ask(kind_get, &wanted, sizeof wanted, to, bytes);
    }
    void put_strided(const double* from) override {
        for (int i = 0; i < blocks; ++i) buffer_[static_cast<std::size_t>(i)] = from[i * block_stride];
        ask(kind_strided, buffer_.data(), blocks * sizeof(double), nullptr, 0);
    }
    void accumulate(const double* from) override { ask(kind_accumulate, from, doubles * sizeof(double), nullptr, 0); }

    // By the other process, again and again.
    void serve() {
        int arrived = 0;
        MPI_Status status;
        MPI_Test(&request_, &arrived, &status);
        if (!arrived) return;
        if (status.MPI_TAG == kind_strided)
            for (int i = 0; i < blocks; ++i)
                memory_[static_cast<std::size_t>(i * block_stride)] = buffer_[static_cast<std::size_t>(i)];
        if (status.MPI_TAG == kind_accumulate)
            for (std::size_t i = 0; i < doubles; ++i) memory_[i] += buffer_[i];
        const bool wanted = status.MPI_TAG == kind_get;
        const auto bytes = wanted ? *reinterpret_cast<const long long*>(buffer_.data()) : 0;
        expect();
        MPI_Send(memory_.data(), static_cast<int>(bytes), MPI_BYTE, other_, kind_answer, communicator_);
    }

private:
    enum Kind { kind_put, kind_get, kind_strided, kind_accumulate, kind_answer };

    void expect() {
        MPI_Irecv(buffer_.data(), static_cast<int>(largest), MPI_BYTE, other_, MPI_ANY_TAG, communicator_, &request_);
    }
    void ask(Kind kind, const void* from, std::size_t bytes, void* to, std::size_t bytes_back) {
        MPI_Request answer = MPI_REQUEST_NULL;
        MPI_Irecv(to, static_cast<int>(bytes_back), MPI_BYTE, other_, kind_answer, communicator_, &answer);
        MPI_Send(from, static_cast<int>(bytes), MPI_BYTE, other_, kind, communicator_);
        MPI_Wait(&answer, MPI_STATUS_IGNORE);
    }

    std::vector<double> memory_, buffer_;
    MPI_Comm communicator_ = MPI_COMM_NULL;
    MPI_Request request_ = MPI_REQUEST_NULL;
    int other_ = 0;
};

}  // namespace bench
