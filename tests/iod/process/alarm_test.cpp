// An alarm whose owner goes while it rings: what the address sanitizer found in CI.
#include "iod/link/alarm.hpp"

#include <gtest/gtest.h>

#include <asio/io_context.hpp>
#include <memory>
#include <thread>

namespace kumihimo::iod::process {
namespace {

using namespace std::chrono_literals;

// Both have expired when the loop looks, so the second waits in its queue while the first removes its owner.
TEST(Alarms, MayGoWhileTheyRing) {
    asio::io_context loop;
    const auto now = std::chrono::steady_clock::now();
    auto alarm = std::make_unique<Alarm>(loop);
    asio::steady_timer first(loop, now);
    first.async_wait([&](const std::error_code&) { alarm.reset(); });
    alarm->set(now + 1us);
    std::this_thread::sleep_for(1ms);
    EXPECT_EQ(loop.run(), 2U);
    EXPECT_FALSE(alarm);
}

TEST(Alarms, RingOnceForAllWhoSetThem) {
    asio::io_context loop;
    Alarm alarm(loop);
    alarm.set(std::chrono::steady_clock::now() + 1us);
    alarm.set(std::chrono::steady_clock::now() + 1h);
    EXPECT_EQ(loop.run(), 1U);
    loop.restart();
    alarm.set(std::chrono::steady_clock::now());
    EXPECT_EQ(loop.run(), 1U);
}

}  // namespace
}  // namespace kumihimo::iod::process
