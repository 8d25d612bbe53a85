// The second thread's syncs: what it has been told by the device reaches whoever asks, even if he asks in that moment.
#include "iod/catwalk/syncer.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <future>

namespace {

// As Linux does it: the first sync that asks is told of the failure, and takes its time; the next one is not.
struct Device {
    std::promise<void> asked, may_answer;
    std::atomic<bool> has_failed = false;
};
Device* device = nullptr;

}  // namespace

extern "C" int fdatasync(int descriptor) {
    if (device == nullptr || device->has_failed.exchange(true)) return static_cast<int>(syscall(SYS_fdatasync, descriptor));
    device->asked.set_value();
    device->may_answer.get_future().wait();
    errno = EIO;
    return -1;
}

namespace kumihimo::iod::process {
namespace {

TEST(Syncer, TellsWhatASyncUnderWayTookAway) {
    std::string name = (std::filesystem::temp_directory_path() / "kumihimo-syncer-XXXXXX").string();
    const int made = ::mkstemp(name.data());
    File file(name, "here");
    bool is_new = false;
    ASSERT_TRUE(file.open({true, true, false, false, false, 0600}, is_new).ok());
    Device failing;
    device = &failing;
    {
        Syncer syncer(file);
        syncer.written(Syncer::interval_bytes);
        failing.asked.get_future().wait();
        EXPECT_TRUE(file.sync().ok()) << "the failure is the other sync's";
        auto result = std::async([&] { return syncer.result(); });
        EXPECT_EQ(result.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
        failing.may_answer.set_value();
        EXPECT_FALSE(result.get().ok());
        EXPECT_FALSE(syncer.result().ok()) << "it stays";
    }
    device = nullptr;
    ::close(made);
    std::filesystem::remove(name);
}

}  // namespace
}  // namespace kumihimo::iod::process
