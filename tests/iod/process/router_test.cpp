// `kumihimo-iod --router`: bytes of both directions arrive as they are, each direction ends by itself, and nobody who
// answers is an error at once.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/descriptor.hpp"
#include "iod/link/command.hpp"

namespace kumihimo::iod::test {

namespace {

// A port of this machine that nobody else has.
struct Port {
    // waiting: how many may connect before they are taken; 0: nobody listens.
    explicit Port(int waiting = 0) : listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        socklen_t length = sizeof address;
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto* const general = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(listener.get(), general, length), 0);
        EXPECT_EQ(::getsockname(listener.get(), general, &length), 0);
        number = std::to_string(ntohs(address.sin_port));
        if (waiting > 0) {
            EXPECT_EQ(::listen(listener.get(), waiting), 0);
        }
    }
    base::Descriptor listener;
    std::string number;
};

link::Command router_to(const Port& port) {
    return link::Command({std::getenv("KUMIHIMO_IOD"), "--router", "127.0.0.1", port.number});
}

// Through a router to a port, and what has been connected to by it.
struct Way {
    Way() : router(router_to(port)), here(router.take_socket()), behind(::accept(port.listener.get(), nullptr, nullptr)) {}
    const Port port{1};
    link::Command router;
    base::Descriptor here, behind;
};

std::string numbers(std::size_t bytes, int step) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * static_cast<std::size_t>(step) / 251);
    return text;
}

void send_all(int to, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t put = ::send(to, text.data() + done, text.size() - done, MSG_NOSIGNAL);
        ASSERT_GT(put, 0);
        done += static_cast<std::size_t>(put);
    }
    ::shutdown(to, SHUT_WR);
}

std::string receive_all(int from) {
    std::string text;
    std::array<char, 65536> buffer;
    for (ssize_t got = 0; (got = ::recv(from, buffer.data(), buffer.size(), 0)) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    return text;
}

TEST(Router, PassesBothDirectionsOn) {
    const std::string there = numbers(24 << 20, 7), back = numbers(17 << 20, 5);
    const Way way;
    std::thread sends([&] { send_all(way.here.get(), there); });
    EXPECT_TRUE(receive_all(way.behind.get()) == there) << "while nothing comes back";
    sends.join();
    std::thread answers([&] { send_all(way.behind.get(), back); });
    EXPECT_TRUE(receive_all(way.here.get()) == back) << "after the other direction has ended";
    answers.join();
}

TEST(Router, SlowDirectionDoesNotHoldTheOther) {
    const std::string there = numbers(24 << 20, 3), back = numbers(24 << 20, 11);
    const Way way;
    std::thread blocked([&] { send_all(way.behind.get(), back); });  // more than all buffers: nobody takes it yet
    std::thread sends([&] { send_all(way.here.get(), there); });
    EXPECT_TRUE(receive_all(way.behind.get()) == there);
    EXPECT_TRUE(receive_all(way.here.get()) == back);
    sends.join();
    blocked.join();
}

TEST(Router, NobodyThereIsSaid) {
    const Port port;  // where nobody listens
    link::Command router = router_to(port);
    const base::Descriptor here = router.take_socket();
    EXPECT_EQ(receive_all(here.get()), "");
    EXPECT_NE(router.complaint().find("cannot reach port " + port.number + " of 127.0.0.1"), std::string::npos)
        << router.complaint();
}

TEST(Router, EndsWhenWhoStartedItIsGone) {
    Way way;
    way.here = {};
    EXPECT_EQ(receive_all(way.behind.get()), "");
}

}  // namespace

}  // namespace kumihimo::iod::test
