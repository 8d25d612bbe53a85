// Wakes the loop at a time. A completion that already waits in the loop's queue comes after the alarm is gone, too, and without
// an error (Asio cannot take it back): what it touches belongs to it as well.
#pragma once

#include <asio/steady_timer.hpp>
#include <memory>
#include <utility>

namespace kumihimo::iod::process {

class Alarm {
public:
    explicit Alarm(asio::io_context& loop) : timer_(loop) {}

    // One at a time: until it has rung, others are not set.
    void set(std::chrono::steady_clock::time_point when) {
        if (std::exchange(*is_set_, true)) return;
        timer_.expires_at(when);
        timer_.async_wait([is_set = is_set_](const std::error_code&) { *is_set = false; });
    }

private:
    asio::steady_timer timer_;
    std::shared_ptr<bool> is_set_ = std::make_shared<bool>(false);
};

}  // namespace kumihimo::iod::process
