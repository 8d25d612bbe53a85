#include "iod/files/shared_word.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace kumihimo::iod::process {
namespace {

// The first process of a job that makes a name in /dev/shm removes what the dead have left there.
void another_job_begins() {
    const pid_t job = fork();
    if (job == 0) {
        { const auto file = base::SharedFile::create(base::SharingMethod::posix, 1); }
        _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(job, &status, 0), job);
    ASSERT_EQ(status, 0);
}

Opening opening() {
    const auto random = base::fresh_token();
    Opening bytes{};
    std::memcpy(bytes.data(), &random, sizeof random);
    return bytes;
}

TEST(SharedWords, AreFoundThoughAnotherJobBegins) {
    const Opening name = opening();
    SharedWord first(name, true);
    another_job_begins();
    SharedWord second(name, false);
    std::int64_t before = -1;
    EXPECT_TRUE(first.add(5, before).ok());
    EXPECT_EQ(before, 0);
    EXPECT_TRUE(second.add(2, before).ok());
    EXPECT_EQ(before, 5);
}

TEST(SharedWords, HaveANameOnlyWhileTheFileIsOpened) {
    const Opening name = opening();
    SharedWord first(name, true), second(name, false);
    first.drop_name();
    SharedWord late(name, false);
    std::int64_t before = -1;
    EXPECT_TRUE(second.set(8).ok());
    EXPECT_TRUE(first.add(1, before).ok());
    EXPECT_EQ(before, 8);
    EXPECT_FALSE(late.add(1, before).ok());
    SharedWord again(name, true);
    EXPECT_TRUE(again.add(1, before).ok());
    EXPECT_EQ(before, 0);
}

}  // namespace
}  // namespace kumihimo::iod::process
