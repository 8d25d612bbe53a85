// The two laws: no lone exit, no silent loss. Faults of the operating system, and those of the engine faulty at every call.
#include <sys/resource.h>

#include <csignal>

#include "contract.hpp"

namespace kumihimo::mpiio {
namespace {

std::vector<Hints> strategies() {
    if (engine_is("catwalk") || engine_is("stampi")) return ways();
    return {{},
            {{"kumihimo_collective", "independent"}},
            {{"kumihimo_collective", "two_phase"}},
            {{"kumihimo_collective", "deferred"}},
            {{"kumihimo_collective", "independent"}, {"kumihimo_write_behind", "off"}}};
}

class Strategies : public testing::TestWithParam<Hints> {};
INSTANTIATE_TEST_SUITE_P(All, Strategies, testing::ValuesIn(strategies()),
                         [](const auto& info) { return std::to_string(info.index); });

// The first failure of a program that writes collectively, and the same on all ranks.
int first_failure(Opened& file, Index bytes, int calls) {
    int code = MPI_SUCCESS;
    const auto note = [&](const std::optional<Failure>& failure) {
        if (code == MPI_SUCCESS) code = code_of(failure);
    };
    for (int call = 0; call < calls; ++call)
        note(file.write_all(bytes * (call * ranks() + rank()), filled(bytes, call)).failure);
    note(file->sync());
    note(file.close());
    return code;
}

TEST_P(Strategies, AFullDeviceIsAnErrorOfItsClassOnAllRanks) {
    for (const Index bytes : {1000, 100000}) {
        Opened file("/dev/full", MPI_MODE_RDWR, GetParam());
        ASSERT_TRUE(file.is_open()) << file.why();
        const int code = first_failure(file, bytes, 5);
        EXPECT_EQ(code, MPI_ERR_NO_SPACE) << bytes;
        EXPECT_TRUE(same_everywhere(code));
    }
}

// One rank only: the others have no trouble of their own.
TEST_P(Strategies, ALimitOnAFilesSizeIsAnErrorAndNoSignal) {
    Directory directory;
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limited = {200000, before.rlim_max};
    if (rank() == ranks() - 1) setrlimit(RLIMIT_FSIZE, &limited);
    {
        Opened file(directory.file("data"), fresh, GetParam());
        ASSERT_TRUE(file.is_open()) << file.why();
        const int code = first_failure(file, 100000, 5);
        EXPECT_TRUE(same_everywhere(code));
        const Hints hints = GetParam();
        const auto strategy = hints.find("kumihimo_collective");
        // Through aggregators the limited rank may have nothing to write behind its limit.
        if (ranks() == 1 || (strategy != hints.end() && strategy->second == "independent")) {
            EXPECT_EQ(code, MPI_ERR_IO);
        }
    }
    setrlimit(RLIMIT_FSIZE, &before);
}

TEST(Laws, AFailureThatWasPutOffIsToldOnAllRanksUntilClose) {
    Opened file("/dev/full", MPI_MODE_RDWR, {{"kumihimo_write_behind", "65536"}});
    ASSERT_TRUE(file.is_open()) << file.why();
    if (rank() == ranks() - 1) (void)file.write(0, filled(100, 1));
    const auto failure = file->sync();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, MPI_ERR_NO_SPACE);
    EXPECT_NE(failure->text.find("/dev/full"), std::string::npos) << failure->text;
    EXPECT_TRUE(engine_is("catwalk") || failure->text.find("rank " + std::to_string(ranks() - 1)) != std::string::npos)
        << failure->text;
    EXPECT_EQ(code_of(file->sync()), MPI_ERR_NO_SPACE) << "what is lost stays lost";
    EXPECT_EQ(code_of(base::agree(MPI_COMM_WORLD, file.close())), MPI_ERR_NO_SPACE);
}

TEST(Laws, WhatAnEarlierCallLeftBehindIsToldToAll) {
    Directory directory;
    Opened file(directory.file("data"), fresh);
    const Failure wrong = {MPI_ERR_TYPE, "wrong arguments", 0};
    const View view;
    const Memory none;
    const bool mine = rank() == ranks() - 1;
    const Outcome outcome = file.agreed(file->write_all({view, 0, 0, none, mine ? &wrong : nullptr}));
    EXPECT_EQ(code_of(outcome.failure), MPI_ERR_TYPE);
    const Outcome reading = file.agreed(file->read_all({view, 0, 0, none, mine ? &wrong : nullptr}));
    EXPECT_EQ(code_of(reading.failure), MPI_ERR_TYPE);
    EXPECT_EQ(code_of(file->sync()), MPI_SUCCESS);
}

// ---- the engine faulty ----

// A program of every kind of collective call; the classes that its calls returned, and what of it is in the file.
std::vector<int> run_program(const std::string& path, const Hints& hints) {
    std::vector<int> codes;
    const auto note = [&](const std::optional<Failure>& failure) { codes.push_back(code_of(failure)); };
    Opened file(path, fresh, hints);
    note(file.failure());
    if (!file.is_open()) return codes;
    Bytes data = filled(500, rank());
    note(file.write_all(500 * rank(), data).failure);
    note(base::agree(MPI_COMM_WORLD, file.write(500 * (ranks() + rank()), data).failure));
    note(file->sync());
    const Outcome outcome = file.read_all(500 * rank(), data);
    note(outcome.failure);
    if (!outcome.failure && outcome.moved == 500 && codes[1] == MPI_SUCCESS && codes[3] == MPI_SUCCESS) {
        EXPECT_EQ(data == filled(500, rank()), true);
    }
    note(file->set_size(100));
    note(file->preallocate(5000));
    note(file->set_atomic(true));
    note(file.close());
    return codes;
}

bool fails_once(const std::vector<int>& codes) {
    return std::count_if(codes.begin(), codes.end(), [](int code) { return code != MPI_SUCCESS; }) == 1;
}

TEST_P(Strategies, OneFaultAtAnyCallIsOneErrorOnAllRanks) {
    if (std::string(engine().name) != "faulty") GTEST_SKIP() << "faults are made by the engine faulty";
    for (int rank_struck = 0; rank_struck < std::min(ranks(), 2); ++rank_struck)
        for (int call = 1; call <= 9; ++call) {
            SCOPED_TRACE(testing::Message() << "call " << call << " of rank " << rank_struck);
            const Setting plan("KUMIHIMO_FAULTY_IO",
                               "direct fail=" + std::to_string(call) + " rank=" + std::to_string(rank_struck));
            Directory directory;
            const auto codes = run_program(directory.file("data"), GetParam());
            for (const int code : codes) EXPECT_TRUE(same_everywhere(code));
            EXPECT_TRUE(fails_once(codes));
        }
}

TEST(Faulty, ShortensReadsAndSaysSoOfWrites) {
    if (std::string(engine().name) != "faulty") GTEST_SKIP() << "faults are made by the engine faulty";
    Directory directory;
    {
        const Setting plan("KUMIHIMO_FAULTY_IO", "direct short=2");
        Opened file(directory.file("a"), fresh);
        const Outcome outcome = file.write(100 * rank(), filled(100, 1));
        EXPECT_EQ(outcome.moved, 50);
        EXPECT_EQ(code_of(outcome.failure), MPI_ERR_IO);
    }
    const Setting plan("KUMIHIMO_FAULTY_IO", "direct short=3");
    Opened file(directory.file("b"), fresh);
    expect_moved(file.write(100 * rank(), filled(100, 1)), 100);
    Bytes found(100);
    expect_moved(file.read(100 * rank(), found), 50);
}

TEST(Faulty, RefusesPlansItDoesNotUnderstand) {
    if (std::string(engine().name) != "faulty") GTEST_SKIP() << "faults are made by the engine faulty";
    Directory directory;
    for (const char* const text : {"direct fail=x", "direct explode=1", "faulty", "no-such-engine", "direct kill=5-2"}) {
        const Setting plan("KUMIHIMO_FAULTY_IO", text);
        const Opened file(directory.file("data"), fresh);
        EXPECT_FALSE(file.is_open()) << text;
        EXPECT_EQ(code_of(file.failure()), MPI_ERR_OTHER);
    }
}

}  // namespace
}  // namespace kumihimo::mpiio
