// Settings, messages, launchers, shared memory between two processes, waiting.
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>

#include "base/ending.hpp"
#include "base/error.hpp"
#include "base/family.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "base/node_number.hpp"
#include "base/one_sided.hpp"
#include "base/settings_check.hpp"
#include "base/shared_memory.hpp"
#include "base/spelling.hpp"
#include "base/wait.hpp"

namespace kumihimo::base {
namespace {

// Sets an environment variable for one test.
class Environment {
public:
    Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    Environment(const Environment&) = delete;
    ~Environment() { unsetenv(name_); }

private:
    const char* name_;
};

TEST(Settings, EnvironmentBeforeDefault) {
    EXPECT_EQ(setting("KUMIHIMO_SPIN"), "auto");
    EXPECT_FALSE(setting_is_set("KUMIHIMO_SPIN"));
    const Environment spin("KUMIHIMO_SPIN", "17");
    EXPECT_EQ(setting_number("KUMIHIMO_SPIN"), 17);
    EXPECT_TRUE(setting_is_set("KUMIHIMO_SPIN"));
    EXPECT_NE(settings_json().find(R"("name": "KUMIHIMO_SPIN", "value": "17", "default": "auto", "source": "environment")"),
              std::string::npos);
    EXPECT_THROW(setting("KUMIHIMO_NO_SUCH_THING"), std::logic_error);
}

TEST(Settings, EmptyIsNotSet) {
    const Environment spin("KUMIHIMO_SPIN", "");
    EXPECT_EQ(setting("KUMIHIMO_SPIN"), "auto");
}

TEST(Log, LevelsHaveNumbersAndNames) {
    for (const auto& [text, level] :
         {std::pair("error", 0), {"warning", 0}, {"info", 1}, {"debug", 2}, {"0", 0}, {"1", 1}, {"2", 2}}) {
        const Environment log("KUMIHIMO_LOG", text);
        EXPECT_TRUE(setting_is_set("KUMIHIMO_LOG")) << text;
        EXPECT_EQ(log_level_in(setting("KUMIHIMO_LOG")), level) << text;
    }
    const Environment log("KUMIHIMO_LOG", "inform");
    EXPECT_FALSE(setting_is_set("KUMIHIMO_LOG"));
    EXPECT_EQ(log_level_in(setting("KUMIHIMO_LOG")), 0);
}

TEST(Settings, NumbersWithSuffixes) {
    const auto number = [](const char* text) {
        const Environment cache("KUMIHIMO_SEGMENT_CACHE", text);
        return setting_number("KUMIHIMO_SEGMENT_CACHE");
    };
    EXPECT_EQ(setting_number("KUMIHIMO_SEGMENT_CACHE"), 256LL << 20);
    EXPECT_EQ(number("0"), 0);
    EXPECT_EQ(number("3k"), 3072);
    EXPECT_EQ(number("2G"), 2LL << 30);
    for (const char* const wrong : {"x", "-1", "1T", "1 k", "99999999999999999999", "9999999999G"}) {
        EXPECT_FALSE(number_in(wrong)) << wrong;
        EXPECT_EQ(number(wrong), 256LL << 20) << "counts as not given: " << wrong;
    }
}

TEST(Settings, YesAndNo) {
    const auto flag = [](const char* text) {
        const Environment pages("KUMIHIMO_HUGE_PAGES", text);
        return setting_flag("KUMIHIMO_HUGE_PAGES");
    };
    EXPECT_TRUE(flag("on"));
    EXPECT_FALSE(flag("0"));
    EXPECT_TRUE(flag("maybe")) << "counts as not given";
}

std::string complaints_of(const char* name, const std::string& value) {
    const Environment environment(name, value.c_str());
    std::string all;
    for (const Library library : {runtime, files, collectives})
        for (const Concerns concerns : {Concerns::rank, Concerns::job}) all += complaints(library, concerns, {});
    return all;
}

TEST(Settings, WhatMakesNoSenseIsToldWithWhatWould) {
    EXPECT_EQ(complaints_of("KUMIHIMO_EXIT_WAIT", "x"), "setting KUMIHIMO_EXIT_WAIT=x is not a number from 0 to 31536000000");
    EXPECT_EQ(complaints_of("KUMIHIMO_GASNET_SEGMENT", "1"),
              "setting KUMIHIMO_GASNET_SEGMENT=1 is not a number of bytes from 64k to 1024G");
    EXPECT_EQ(complaints_of("KUMIHIMO_IO_WRITE_BEHIND", "of"),
              "setting KUMIHIMO_IO_WRITE_BEHIND=of is not a number of bytes from 0 to 1G, or off; did you mean off?");
    EXPECT_EQ(complaints_of("KUMIHIMO_IO_COLLECTIVE", "two_phas"),
              "setting KUMIHIMO_IO_COLLECTIVE=two_phas is not one of automatic, independent, deferred, two_phase; did you mean "
              "two_phase?");
    EXPECT_EQ(complaints_of("KUMIHIMO_IOD_LOG", "/no/such/file"),
              "setting KUMIHIMO_IOD_LOG=/no/such/file is not a file that can be written: No such file or directory");
    EXPECT_EQ(complaints_of("KUMIHIMO_CATWALK_JOURNAL", "/dev/null"),
              "setting KUMIHIMO_CATWALK_JOURNAL=/dev/null is not a directory that can be written to: Not a directory");
    EXPECT_EQ(complaints_of("KUMIHIMO_IO_REPORT", "-"), "");
}

// Whatever a variable holds: a complaint that names it, or a value in the table's limits; and reading it never fails.
TEST(Settings, AnythingIsAValueOrAComplaint) {
    const std::string absurd[] = {"x",      "-1",       "18446744073709551616", "1e3", "0x10", " 1", "1 ",
                                  "on,off", "\xff\xfe", std::string(5000, '9')};
    for (const Setting& entry : settings())
        for (const std::string& value : absurd) {
            const bool accepted = accepts(entry, value);
            if (!accepted) {
                EXPECT_NE(complaints_of(entry.name, value).find(std::string("setting ") + entry.name + "="), std::string::npos);
            }
            const Environment environment(entry.name, value.c_str());
            EXPECT_EQ(setting(entry.name), accepted ? value : entry.default_value) << entry.name << "=" << value;
            if (entry.values.kind == Values::flag) (void)setting_flag(entry.name);
            const std::string now = setting(entry.name);
            const auto words = words_of(entry);
            const bool number = entry.values.kind == Values::number || entry.values.kind == Values::bytes;
            if (number && std::find(words.begin(), words.end(), now) == words.end()) {
                EXPECT_GE(setting_number(entry.name), entry.values.least) << entry.name;
                EXPECT_LE(setting_number(entry.name), entry.values.most) << entry.name;
            }
        }
}

TEST(Settings, DefaultsAreAllowed) {
    for (const Setting& entry : settings())
        EXPECT_TRUE(*entry.default_value == 0 || accepts(entry, entry.default_value)) << entry.name;
}

TEST(Settings, WhatTheJobHasComeToCounts) {
    const Environment here("KUMIHIMO_TIMEOUT", "5");
    FrequentNumber patience("KUMIHIMO_TIMEOUT");
    EXPECT_EQ(patience.value(), 5);
    take_over({{"KUMIHIMO_TIMEOUT", "7"}});
    EXPECT_EQ(patience.value(), 7);
    take_over({{"KUMIHIMO_TIMEOUT", ""}});
    EXPECT_EQ(patience.value(), 0);
    EXPECT_FALSE(setting_is_set("KUMIHIMO_TIMEOUT"));
}

TEST(Spelling, OnlySlips) {
    const std::string names[] = {"KUMIHIMO_IO", "KUMIHIMO_IO_COLLECTIVE", "KUMIHIMO_TIMEOUT"};
    EXPECT_EQ(nearest("KUMIHIMO_IO_COLECTIVE", names), "KUMIHIMO_IO_COLLECTIVE");
    EXPECT_EQ(nearest("kumihimo_timeout", names), "KUMIHIMO_TIMEOUT");
    EXPECT_EQ(nearest("KUMIHIMO_SOMETHING_ELSE", names), "");
    EXPECT_EQ(nearest("", names), "");
}

TEST(Settings, NamesAreUniqueAndExplained) {
    std::set<std::string> names;
    for (const Setting& entry : settings()) {
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
        EXPECT_EQ(std::string(entry.name).rfind("KUMIHIMO_", 0), 0u);
        EXPECT_GT(std::string(entry.help).size(), 20u);
    }
}

TEST(Messages, WhatWhereWhoAdvice) {
    EXPECT_EQ(error_message(Error("it broke", "Mend it."), "a.c:3: #pragma xmp nodes p[4]", 1, 4),
              "kumihimo: error: it broke\n  at a.c:3: #pragma xmp nodes p[4]\n  on node 1 of 4\n  Mend it.\n");
    EXPECT_EQ(error_message(std::runtime_error("it broke"), "", -1, 1), "kumihimo: error: it broke\n");
}

TEST(Messages, NodesCountAsTheLanguageOfMainDoesAndRanksFromZero) {
    EXPECT_EQ(member_text("node", 2) + ", " + member_text("rank", 2), "node 2, rank 2");
    count_nodes_from(1);
    EXPECT_EQ(member_text("node", 2) + ", " + member_text("rank", 2), "node 3, rank 2");
    EXPECT_EQ(error_message(Error("it broke"), "", 1, 4), "kumihimo: error: it broke\n  on node 2 of 4\n");
    count_nodes_from(0);
}

TEST(Messages, Spellings) {
    EXPECT_EQ(bytes_text(1023), "1023 bytes");
    EXPECT_EQ(bytes_text(1536), "1.5 KiB");
    EXPECT_EQ(bytes_text(1ull << 63), "8.0 EiB");
    EXPECT_EQ(counted(1, "node"), "1 node");
    EXPECT_EQ(counted(0, "node"), "0 nodes");
    EXPECT_EQ(json_string("a\"b\\c\n"), R"("a\"b\\c\u000a")");
}

TEST(Family, ForeignLaunchers) {
    const bool open_mpi = std::string(family_name()) == "openmpi";
    const char* const our_size = open_mpi ? "OMPI_COMM_WORLD_SIZE" : "PMI_SIZE";
    const char* const their_size = open_mpi ? "PMI_SIZE" : "OMPI_COMM_WORLD_SIZE";
    const std::string launched = std::getenv(our_size) != nullptr ? std::getenv(our_size) : "";
    unsetenv(our_size);
    EXPECT_FALSE(foreign_launch()) << "nobody launched it";
    {
        const Environment theirs(their_size, "4");
        ASSERT_TRUE(foreign_launch());
        EXPECT_EQ(foreign_launch()->processes, 4);
        EXPECT_EQ(foreign_launch()->evidence, std::string(their_size) + "=4");
        const Environment ours(our_size, "1");  // our own launcher, run inside the other's job
        EXPECT_FALSE(foreign_launch());
    }
    {
        const Environment slurm("SLURM_STEP_NUM_TASKS", "2");
        EXPECT_TRUE(foreign_launch());
    }
    if (!launched.empty()) setenv(our_size, launched.c_str(), 1);
}

class SharedMemory : public testing::TestWithParam<SharingMethod> {};

TEST(OneSided, WhatAFileOfParametersExcludes) {
    const auto osc_of = [](const char* text) { return parameter_of(std::istringstream(text), "osc"); };
    EXPECT_EQ(osc_of("# osc = sm\npml = ob1\n"), std::nullopt);
    EXPECT_EQ(osc_of("osc=^pt2pt\n  osc =  ^ucx,pt2pt \nosc_base_verbose = 1\n"), "^ucx,pt2pt");
    EXPECT_EQ(without("^ucx,pt2pt", "pt2pt"), "^ucx");
    EXPECT_EQ(without("^pt2pt, rdma", "pt2pt"), "^rdma");
    EXPECT_EQ(without("^pt2pt", "pt2pt"), "^none");
    EXPECT_EQ(without("^ucx", "pt2pt"), std::nullopt);
    EXPECT_EQ(without("rdma,pt2pt", "pt2pt"), std::nullopt);
    EXPECT_EQ(without("", "pt2pt"), std::nullopt);
}

TEST_P(SharedMemory, AnotherProcessAttaches) {
    const SharedFile file = SharedFile::create(GetParam(), 10000);
    const Mapping mine = file.map();
    EXPECT_EQ(mine.data()[9999], std::byte{0});
    mine.data()[0] = std::byte{42};
    const pid_t child = fork();
    if (child == 0) {
        bool right = false;
        try {
            reserve(file.ticket(), 0, 10000);
            const Mapping theirs = attach(file.ticket());
            right = theirs.data()[0] == std::byte{42};
            theirs.data()[9999] = std::byte{7};
        } catch (const std::exception&) {
        }
        _exit(right ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(mine.data()[9999], std::byte{7});
}

TEST_P(SharedMemory, MappingsOutliveTheFileAndNothingElseDoes) {
    Mapping mine;
    Ticket ticket;
    {
        const SharedFile file = SharedFile::create(GetParam(), 4096);
        ticket = file.ticket();
        mine = attach(ticket);
    }
    mine.data()[1] = std::byte{1};
    EXPECT_EQ(mine.data()[1], std::byte{1});
    EXPECT_THROW(attach(ticket), Error);
}

// What a process that was killed has left in /dev/shm is removed by the next one that makes a name, and only that.
TEST(SharedNames, OfTheDeadAreRemovedThoseOfTheLivingStay) {
    std::array<int, 2> told;
    ASSERT_EQ(pipe(told.data()), 0);
    const auto child = [&](auto&& body) {
        const pid_t process = fork();
        if (process == 0) body(), _exit(0);
        return process;
    };
    const pid_t killed = child([&] {
        const SharedFile file = SharedFile::create(SharingMethod::posix, 4096);
        if (write(told[1], &file.ticket(), sizeof(Ticket)) == sizeof(Ticket)) pause();
    });
    Ticket left;
    ASSERT_EQ(read(told[0], &left, sizeof left), static_cast<ssize_t>(sizeof left));
    const SharedFile living = SharedFile::create(SharingMethod::posix, 4096);
    EXPECT_NO_THROW((void)attach(left));
    kill(killed, SIGKILL);
    waitpid(killed, nullptr, 0);
    EXPECT_NO_THROW((void)attach(left)) << "its name is there";
    // A program of its own, as the next job is one.
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const pid_t next = child([&] {
        execl(program.c_str(), program.c_str(), "--gtest_filter=Methods/SharedMemory.*", "--gtest_brief=1", nullptr);
        _exit(127);
    });
    int status = -1;
    waitpid(next, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_THROW((void)attach(left), Error) << "its name is still there";
    EXPECT_NO_THROW((void)attach(living.ticket()));
    close(told[0]), close(told[1]);
}

INSTANTIATE_TEST_SUITE_P(Methods, SharedMemory, testing::Values(SharingMethod::memfd, SharingMethod::posix));

TEST(SharedMemoryLimits, AbsurdSizesAreErrors) {
    EXPECT_THROW(Mapping::anonymous(std::size_t{1} << 60), Error);
    EXPECT_THROW(SharedFile::create(SharingMethod::memfd, std::size_t{1} << 63), Error);
}

TEST(Waiting, EndsWhenTheOtherIsReady) {
    for (const auto& [nodes, processors] : {std::pair{1, 2}, std::pair{8, 2}}) {
        set_waiting(nodes, processors);
        std::atomic<bool> ready = false;
        std::atomic<long> polls = 0;
        std::thread other([&] {
            while (polls == 0) std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::milliseconds(60));  // longer than anybody spins
            ready = true;
        });
        wait_until([&] {
            polls++;
            return ready.load();
        });
        other.join();
        EXPECT_GT(polls, 1);
    }
    EXPECT_GE(processors_available(), 1);
}

// As of a launcher that is late: what MPICH's has not read when a job aborts is lost.
// As GASNet does, a library ends the process when it exits: what is to be done comes before that, and once.
TEST(Ending, IsOursBeforeThatOfALibraryThatBeganLater) {
    EXPECT_EXIT(
        {
            at_exit([](int status) { fprintf(stderr, "ended with %d;", status); });
            put_exit_first();
            on_exit([](int, void*) { _exit(3); }, nullptr);
            put_exit_first();
            std::exit(2);
        },
        testing::ExitedWithCode(3), "^ended with 2;$");
}

TEST(Ending, WaitsForWhoReadsTheErrors) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const int errors = dup(STDERR_FILENO);
    ASSERT_GE(dup2(ends[1], STDERR_FILENO), 0);
    ASSERT_EQ(write(STDERR_FILENO, "why", 3), 3);
    std::thread launcher([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        std::array<char, 3> text{};
        EXPECT_EQ(read(ends[0], text.data(), text.size()), 3);
    });
    wait_until_errors_are_read();
    int unread = -1;
    EXPECT_EQ(ioctl(ends[0], FIONREAD, &unread), 0);
    dup2(errors, STDERR_FILENO);
    launcher.join();
    for (const int file : {ends[0], ends[1], errors}) close(file);
    EXPECT_EQ(unread, 0);
}

}  // namespace
}  // namespace kumihimo::base
