// Tests of MPI programs: rank 0 reports as usual, the others report only failures, and all end alike.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>

class FailuresOnly : public testing::EmptyTestEventListener {
public:
    explicit FailuresOnly(int rank) : rank_(rank) {}
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.failed()) return;
        std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, result.file_name() != nullptr ? result.file_name() : "?",
                     result.line_number(), result.message());
    }
    // Of all ranks but the first.
    static void listen(int rank) {
        if (rank == 0) return;
        auto& listeners = testing::UnitTest::GetInstance()->listeners();
        delete listeners.Release(listeners.default_result_printer());
        listeners.Append(new FailuresOnly(rank));
    }

private:
    int rank_;
};

// For main, between the begin and the end of MPI: the worst result of all ranks.
inline int run_all_tests(int& argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FailuresOnly::listen(rank);
    int result = RUN_ALL_TESTS(), worst = 0;
    MPI_Allreduce(&result, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}
