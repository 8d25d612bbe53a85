// The end of a connection whose other side takes nothing: after a while it closes, so that its process can end.
#include "iod/link/connection.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <asio/io_context.hpp>

namespace kumihimo::iod::process {
namespace {

using namespace std::chrono_literals;

class Nobody : public Peer {
public:
    void arrived(Connection&, Arrival&&) override {}
    void ended(Connection&, const Status&) override {}
};

class Farewell : public ::testing::Test {
protected:
    Farewell() {
        std::array<int, 2> ends{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
        other_ = base::Descriptor(ends[1]);
        connection_ = std::make_shared<Connection>(loop_, base::Descriptor(ends[0]), Role{Role::parent}, nobody_);
        connection_->send({Type::records, 0, 1, 0, 0, 0}, {}, Payload(sent_bytes));  // more than the socket takes
        EXPECT_GT(connection_->queued_bytes(), 0U);
    }

    // Takes what has come. Returns its bytes.
    std::size_t take() {
        std::array<std::byte, 64 << 10> place{};
        const ssize_t got = ::read(other_.get(), place.data(), place.size());
        return got < 0 ? 0 : static_cast<std::size_t>(got);
    }

    static constexpr std::size_t sent_bytes = std::size_t{8} << 20;
    asio::io_context loop_;
    Nobody nobody_;
    base::Descriptor other_;
    std::shared_ptr<Connection> connection_;
};

TEST_F(Farewell, NobodyTakesWhatIsLeft) {
    connection_->finish_unless_stuck(20ms);
    EXPECT_TRUE(connection_->is_open());
    while (connection_->is_open() && loop_.run_one_for(60s) > 0) {
    }
    EXPECT_FALSE(connection_->is_open());
}

TEST_F(Farewell, ASlowReaderGetsAll) {
    std::size_t taken = 0;
    connection_->finish_unless_stuck(60s);
    while (connection_->is_open()) {
        taken += take();
        loop_.poll();
    }
    while (const std::size_t more = take()) taken += more;
    EXPECT_EQ(taken, header_bytes + sent_bytes);
}

}  // namespace
}  // namespace kumihimo::iod::process
