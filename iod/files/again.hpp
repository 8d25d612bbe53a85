// Looks for what nobody tells of: at once, then after pauses that grow.
#pragma once

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>

namespace kumihimo::iod::process {

class Again {
public:
    explicit Again(asio::io_context& loop) : timer_(loop) {}

    // Until `found` says so. It may be asked when this is gone already, and then must say so.
    void look(std::function<bool()> found) {
        if (!found()) look_after(shortest, std::move(found));
    }

private:
    static constexpr std::chrono::milliseconds shortest{1}, longest{50};

    void look_after(std::chrono::milliseconds pause, std::function<bool()> found) {
        timer_.expires_after(pause);
        timer_.async_wait([this, pause, found = std::move(found)](const std::error_code& error) {
            if (!error && !found()) look_after(std::min(2 * pause, longest), found);
        });
    }

    asio::steady_timer timer_;
};

}  // namespace kumihimo::iod::process
