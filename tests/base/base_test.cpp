// Settings, messages, launchers, shared memory between two processes, waiting.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/family.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "base/shared_memory.hpp"
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

TEST(Settings, NumbersWithSuffixes) {
    const auto number = [](const char* text) {
        const Environment cache("KUMIHIMO_SEGMENT_CACHE", text);
        return setting_number("KUMIHIMO_SEGMENT_CACHE");
    };
    EXPECT_EQ(setting_number("KUMIHIMO_SEGMENT_CACHE"), 256LL << 20);
    EXPECT_EQ(number("0"), 0);
    EXPECT_EQ(number("3k"), 3072);
    EXPECT_EQ(number("2G"), 2LL << 30);
    for (const char* const wrong : {"x", "-1", "1T", "1 k", "99999999999999999999", "9999999999G"})
        EXPECT_THROW(number(wrong), Error) << wrong;
}

TEST(Settings, YesAndNo) {
    const auto flag = [](const char* text) {
        const Environment pages("KUMIHIMO_HUGE_PAGES", text);
        return setting_flag("KUMIHIMO_HUGE_PAGES");
    };
    EXPECT_TRUE(flag("on"));
    EXPECT_FALSE(flag("0"));
    EXPECT_THROW(flag("maybe"), Error);
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
              "kumihimo: error: it broke\n  at a.c:3: #pragma xmp nodes p[4]\n  on node 2 of 4\n  Mend it.\n");
    EXPECT_EQ(error_message(std::runtime_error("it broke"), "", -1, 1), "kumihimo: error: it broke\n");
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

INSTANTIATE_TEST_SUITE_P(Methods, SharedMemory, testing::Values(SharingMethod::memfd, SharingMethod::posix));

TEST(SharedMemoryLimits, AbsurdSizesAreErrors) {
    EXPECT_THROW(Mapping::anonymous(std::size_t{1} << 60), Error);
    EXPECT_THROW(SharedFile::create(SharingMethod::memfd, std::size_t{1} << 63), Error);
}

TEST(Waiting, EndsWhenTheOtherIsReady) {
    for (const auto& [nodes, processors] : {std::pair{1, 2}, std::pair{8, 2}}) {
        set_waiting(nodes, processors);
        std::atomic<bool> ready = false;
        std::thread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(60));
            ready = true;
        });
        long polls = 0;
        wait_until([&] {
            polls++;
            return ready.load();
        });
        other.join();
        EXPECT_GT(polls, 1);
    }
    EXPECT_GE(processors_available(), 1);
}

}  // namespace
}  // namespace kumihimo::base
