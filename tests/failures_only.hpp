// Test output of MPI programs: rank 0 reports as usual, the others report only failures.
#pragma once

#include <gtest/gtest.h>

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
