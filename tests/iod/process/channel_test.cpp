// Data channels beside ssh: who may come, how often, for how much and how long.
#include <sys/socket.h>

#include <sstream>

#include "iod/protocol/digits.hpp"
#include "tests/iod/process/far.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {
namespace {

class Channels : public Far {
protected:
    Channels() { ::setenv("SSH_CONNECTION", "127.0.0.1 40000 127.0.0.1 22", 1); }
    ~Channels() override { ::unsetenv("SSH_CONNECTION"); }
};

Channel offered(Line& line, std::uint64_t budget = 1 << 30) {
    return line.call<Channel>(Type::file_channel, 0, FileChannel{budget});
}

Status write_4000(Line& line, std::uint32_t session) {
    return write(line, session, {{{0, 4000, {}}}}, std::string(4000, 'x'));
}

// So many writes of 4000 bytes, and then none.
void expect_writes(Line& line, std::uint32_t session, int expected) {
    int written = 0;
    EXPECT_THROW(
        {
            for (; written < 100; ++written) {
                const Status status = write_4000(line, session);
                ASSERT_TRUE(status.ok());
            }
        },
        std::runtime_error);
    EXPECT_EQ(written, expected);
}

TEST_F(Channels, ServeTheSameFiles) {
    Service service(words());
    service.line.greet();
    const Channel channel = offered(service.line);
    ASSERT_TRUE(channel.status.ok()) << channel.status.text;
    ASSERT_EQ(channel.addresses.size(), 1U);
    EXPECT_TRUE(channel.addresses.front().starts_with("127.0.0.1:")) << "where the other machine reaches this one, only";
    Line line = Line::tcp(channel.addresses.front());
    line.greet(channel.token);
    const auto opened = line.call<FileOpened>(Type::file_open, 0, open_as("data"));
    ASSERT_TRUE(opened.status.ok()) << opened.status.text;
    EXPECT_TRUE(write(line, opened.session, {{{0, 6, {}}}}, "abcdef").ok());
    EXPECT_EQ(contents("data"), "abcdef");
    EXPECT_THROW(line.call<Channel>(Type::file_channel, 0, FileChannel{1}), std::runtime_error) << "one that asks for another";
}

TEST_F(Channels, OfWhoeverKnowsTheTokenOnce) {
    Service service(words());
    service.line.greet();
    const Channel channel = offered(service.line);
    Token wrong = channel.token;
    support::Random random;
    const int strangers = support::long_form() ? 100'000 : 300;
    for (int i = 0; i < strangers; ++i) {
        wrong[static_cast<std::size_t>(random.between(0, 31))] ^= static_cast<std::byte>(random.between(1, 255));
        if (wrong == channel.token) continue;
        Line line = Line::tcp(channel.addresses.front());
        ASSERT_THROW(line.greet(wrong), std::runtime_error) << i;
    }
    Line first = Line::tcp(channel.addresses.front()), second = Line::tcp(channel.addresses.front());
    EXPECT_NO_THROW(first.greet(channel.token));
    EXPECT_THROW(second.greet(channel.token), std::runtime_error);
    EXPECT_TRUE(first.call<FileOpened>(Type::file_open, 0, open_as("data")).status.ok());
}

TEST_F(Channels, NobodyElseIsToldTheToken) {
    ::setenv("KUMIHIMO_LOG", "debug", 1);
    Service service(words());
    ::unsetenv("KUMIHIMO_LOG");
    service.line.greet();
    const Channel channel = offered(service.line);
    Line line = Line::tcp(channel.addresses.front());
    line.greet(channel.token);
    ASSERT_TRUE(line.call<FileOpened>(Type::file_open, 0, open_as("data")).status.ok());
    const std::span<const std::byte> beginning = std::span(channel.token).first(8);
    const std::string as_it_is(reinterpret_cast<const char*>(beginning.data()), beginning.size()),
        digits = digits_of(beginning);
    const auto tells = [&](const std::string& text) {
        return text.find(as_it_is) != std::string::npos || text.find(digits) != std::string::npos;
    };
    std::istringstream services(contents("/proc/thread-self/children"));
    int seen = 0;
    for (std::string process; services >> process; ++seen)
        for (const char* const what : {"cmdline", "environ"})
            EXPECT_FALSE(tells(contents("/proc/" + process + "/" + what))) << what;
    EXPECT_GT(seen, 0) << "the service runs";
    EXPECT_FALSE(tells(service.command.complaint())) << "its log";
}

TEST_F(Channels, EndWithWhoAskedForThem) {
    auto service = std::make_unique<Service>(words());
    service->line.greet();
    const Channel channel = offered(service->line);
    Line line = Line::tcp(channel.addresses.front());
    line.greet(channel.token);
    ASSERT_TRUE(line.call<FileOpened>(Type::file_open, 0, open_as("data")).status.ok());
    service.reset();
    EXPECT_TRUE(line.closed_by_peer());
}

TEST_F(Channels, CarryNoMoreThanTheirBudget) {
    Service service(words());
    service.line.greet();
    const Channel channel = offered(service.line, 20'000);
    Line line = Line::tcp(channel.addresses.front());
    line.greet(channel.token);
    const auto opened = line.call<FileOpened>(Type::file_open, 0, open_as("data"));
    expect_writes(line, opened.session, 4);
    EXPECT_NE(line.told().text.find("as many bytes as it may"), std::string::npos) << line.told().text;
    EXPECT_TRUE(service.line.call<About>(Type::file_about, 0, FileAbout{}).status.ok()) << "the one by ssh goes on";
}

TEST_F(Channels, AndTheConnectionBySshShareWhatASessionMayCarry) {
    std::vector<std::string> limited = words();
    limited.insert(limited.end(), {"--most-bytes", "20k"});
    Service service(limited);
    service.line.greet();
    const auto opened = service.line.call<FileOpened>(Type::file_open, 0, open_as("data"));
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(write_4000(service.line, opened.session).ok());
    const Channel channel = offered(service.line);
    Line line = Line::tcp(channel.addresses.front());
    line.greet(channel.token);
    const auto again = line.call<FileOpened>(Type::file_open, 0, open_as("data", false));
    expect_writes(line, again.session, 2);
    EXPECT_NE(line.told().text.find("this session has carried as many bytes as it may"), std::string::npos) << line.told().text;
    EXPECT_THROW(write_4000(service.line, opened.session), std::runtime_error);
}

TEST_F(Channels, NobodyListensWhereTheyAreForbidden) {
    std::vector<std::string> forbidden = words();
    forbidden.emplace_back("--no-channels");
    Service service(forbidden);
    service.line.greet();
    EXPECT_EQ(offered(service.line).status.code, Code::not_supported);
    ::unsetenv("SSH_CONNECTION");
    Service by_hand(words());
    by_hand.line.greet();
    EXPECT_EQ(offered(by_hand.line).status.code, Code::not_supported) << "nobody knows where to listen";
}

}  // namespace
}  // namespace kumihimo::iod::test
