// Whatever ranks, agents and strangers send: the agent lives, keeps its memory and descriptors within bounds, serves the file
// of a rightful rank all the while, and ends when that has left. 20,000 frames; KUMIHIMO_FUZZ_FRAMES=1000000 by hand.
// KUMIHIMO_TEST_SEED repeats a run.
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstring>

#include "tests/iod/process/agent_fixture.hpp"
#include "tests/iod/process/conversation.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t mebibyte = 1 << 20;

std::size_t frames_wanted() {
    const char* const given = std::getenv("KUMIHIMO_FUZZ_FRAMES");
    return given != nullptr       ? std::strtoull(given, nullptr, 10)
           : support::long_form() ? 1'000'000
           : support::sanitized   ? 5'000
                                  : 20'000;
}

// Files may not grow beyond, whatever sizes are asked for: the disk is others', too. The agent inherits it.
class SmallFiles {
public:
    SmallFiles() {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{64 * mebibyte, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_;
};

// The three descriptors of a rank's join; its ring is in order.
class RingOfFuzzer {
public:
    RingOfFuzzer() : numbers_{memfd_create("ring", MFD_CLOEXEC), eventfd(0, EFD_NONBLOCK), eventfd(0, EFD_NONBLOCK)} {
        const std::size_t bytes = RingProducer::memory_bytes(64 << 10);
        if (ftruncate(numbers_[0], static_cast<off_t>(bytes)) != 0) throw std::runtime_error("ftruncate");
        memory_ = base::Mapping::shared(numbers_[0], bytes);
        RingProducer(std::span(memory_.data(), bytes));
    }
    ~RingOfFuzzer() {
        for (const int number : numbers_) ::close(number);
    }
    std::span<const int> descriptors() const { return numbers_; }

private:
    std::array<int, 3> numbers_;
    base::Mapping memory_;
};

// An agent's port, to which the real one connects.
class FalseParent {
public:
    FalseParent() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (bind(socket_, reinterpret_cast<sockaddr*>(&address), length) != 0 || listen(socket_, 8) != 0)
            throw std::runtime_error("listen");
        getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
        address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    }
    ~FalseParent() { ::close(socket_); }
    const std::string& address() const { return address_; }
    Line accept() const {
        pollfd state{socket_, POLLIN, 0};
        if (poll(&state, 1, Line::patience_ms) != 1) throw std::runtime_error("the agent does not connect");
        return Line(::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC));
    }

private:
    int socket_;
    std::string address_;
};

class Fuzz : public AgentTest {
protected:
    Fuzz() : started_(start_agent()), line_(started_.connection) {
        const std::string name = line_.greet().name;
        process_ = std::stoi(name.substr(name.rfind(' ')));
        Open open = request("result", 1);
        opened_ = line_.call<Opened>(Type::open, 0, open);
        line_.call<Status>(Type::attach, opened_.session, Attach{{Parent{true, {}, 0, {}}}});
        rank_ = std::make_unique<Rank>(line_, opened_.session, 0);
        model_.resize(100'000);
        serves();
    }
    Open request(const std::string& name, std::uint32_t ranks) const {
        Open open;
        open.path = (directory_ / name).string();
        open.mode = {true, true, true, false, false, 0644};
        open.ranks_here = ranks;
        open.one_machine = true;
        open.options.sort_buffer = 4 << 20;
        open.options.journal_directory = directory_.string();
        return open;
    }

    // The rightful rank writes, and reads what it and the file have.
    void serves() {
        const Offset at = random_.between(0, static_cast<std::int64_t>(model_.size()) - 1);
        const auto data =
            random_bytes(random_, static_cast<std::size_t>(random_.between(1, static_cast<std::int64_t>(model_.size()) - at)));
        rank_->write(at, data);
        std::ranges::copy(data, model_.begin() + at);
        end_ = std::max(end_, static_cast<std::size_t>(at) + data.size());
        ASSERT_TRUE(rank_->drained(rank_->ask_drain(++epoch_, Purpose::show)).status.ok());
        std::vector<std::byte> back(model_.size());
        std::size_t got = 0;
        ASSERT_TRUE(rank_->read(0, back, got).ok());
        ASSERT_EQ(got, end_);
        ASSERT_TRUE(std::equal(back.begin(), back.begin() + static_cast<std::ptrdiff_t>(got), model_.begin()));
    }

    std::size_t descriptors() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/" + std::to_string(process_) + "/fd"), {}));
    }
    bool descriptors_become(std::size_t count) const {
        for (const auto end = std::chrono::steady_clock::now() + 20s; std::chrono::steady_clock::now() < end;
             std::this_thread::sleep_for(20ms))
            if (descriptors() <= count) return true;
        return false;
    }
    std::size_t peak_bytes() const {
        std::ifstream file("/proc/" + std::to_string(process_) + "/status");
        for (std::string line; std::getline(file, line);)
            if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6)) * 1024;
        return 0;
    }

    std::size_t attack();
    std::size_t send(Line& line, const Conversation& frames);

    const SmallFiles small_files_;
    StartedAgent started_;
    Line line_;
    int process_ = 0;
    Opened opened_;
    std::unique_ptr<Rank> rank_;
    std::vector<std::byte> model_;
    std::size_t end_ = 0;
    std::uint64_t epoch_ = 0;
    support::Random random_;
    RingOfFuzzer ring_;
    FalseParent parent_;
};

// As far as it is taken; whoever does not read is not waited for. The answers are thrown away.
std::size_t Fuzz::send(Line& line, const Conversation& frames) {
    timeval patience{0, 20'000};
    setsockopt(line.socket(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    std::size_t sent = 0;
    for (const FuzzFrame& frame : frames) {
        iovec piece{const_cast<std::byte*>(frame.bytes.data()), frame.bytes.size()};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(3 * sizeof(int))> control{};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        int type = 0;
        socklen_t length = sizeof type;
        getsockopt(line.socket(), SOL_SOCKET, SO_DOMAIN, &type, &length);
        if (frame.descriptors && type == AF_UNIX) {
            message.msg_control = control.data();
            message.msg_controllen = control.size();
            cmsghdr* const part = CMSG_FIRSTHDR(&message);
            part->cmsg_level = SOL_SOCKET;
            part->cmsg_type = SCM_RIGHTS;
            part->cmsg_len = CMSG_LEN(3 * sizeof(int));
            std::memcpy(CMSG_DATA(part), ring_.descriptors().data(), 3 * sizeof(int));
        }
        if (sendmsg(line.socket(), &message, MSG_NOSIGNAL) < 0) break;
        ++sent;
        if (random_.between(0, 3) > 0) continue;
        std::array<std::byte, 65536> answers;
        while (::recv(line.socket(), answers.data(), answers.size(), MSG_DONTWAIT) > 0) {
        }
    }
    return sent;
}

// One conversation about a file of its own, which the rightful rank opens and gives up again.
std::size_t Fuzz::attack() {
    const auto speaker = static_cast<Speaker>(random_.between(0, 3));
    Open open = request("other", 3);
    open.options.accept_incomplete = true;
    open.options.method = static_cast<Method>(random_.between(0, 3));
    open.hosts = 2;
    open.host = speaker == Speaker::parent ? 1 : 0;
    if (speaker != Speaker::parent) open.children = {1};
    const Opened opened = line_.call<Opened>(Type::open, 0, open);
    EXPECT_TRUE(opened.status.ok()) << opened.status.text;
    const bool root = speaker != Speaker::parent;
    const std::uint64_t attached =
        line_.ask(Type::attach, opened.session,
                  encode(Attach{{Parent{root, root ? std::vector<std::string>{} : std::vector{parent_.address()}, 1, {}}}}));
    const bool network =
        speaker == Speaker::child || speaker == Speaker::parent || (speaker == Speaker::stranger && random_.between(0, 1) == 0);
    const Scene scene{directory_, opened.session,
                      speaker == Speaker::child ? opened.child_tokens.at(0).at(0) : opened.rank_tokens.at(0), network};
    Conversation frames = conversation(speaker, scene, random_);
    mutate(frames, scene, random_);
    Line line = speaker == Speaker::parent             ? parent_.accept()
                : network && !opened.addresses.empty() ? Line::tcp(opened.addresses.at(0))
                                                       : Line::local(opened.local_address);
    // The questions that a false parent answers come from a rank.
    std::vector<std::unique_ptr<Line>> ranks;
    if (speaker == Speaker::parent && random_.between(0, 1) == 0) {
        ranks.push_back(std::make_unique<Line>(Line::local(opened.local_address)));
        ranks.back()->greet(opened.rank_tokens.at(1));
        Conversation of_rank = conversation(Speaker::rank, {directory_, opened.session, {}, false}, random_);
        of_rank.erase(of_rank.begin());
        support::Random& random = random_;
        mutate(of_rank, scene, random);
        send(*ranks.back(), of_rank);
    }
    const std::size_t sent = send(line, frames);
    if (speaker != Speaker::parent) line_.answer(attached);
    if (random_.between(0, 1) == 0) line.close();
    line_.ask(Type::leave, opened.session, encode(Leave{}));
    line_.answer(line_.ask(Type::counters, opened_.session, {}));  // it is still there, and has read what came
    line_.forget_answers();
    return sent;
}

TEST_F(Fuzz, ARightfulRankIsServedAllTheWhile) {
    const std::size_t wanted = frames_wanted();
    std::printf("seed %llu, %zu frames\n", static_cast<unsigned long long>(random_.seed()), wanted);
    const std::size_t descriptors_before = descriptors(), bytes_before = peak_bytes();
    std::size_t sent = 0, conversations = 0;
    for (; sent < wanted; ++conversations) {
        sent += attack();
        if (conversations % 20 == 0) serves();
        ASSERT_FALSE(HasFailure()) << "seed " << random_.seed() << ", conversation " << conversations;
    }
    std::printf("%zu frames in %zu conversations\n", sent, conversations);
    serves();
    EXPECT_TRUE(descriptors_become(descriptors_before + 4))
        << descriptors() << " descriptors, " << descriptors_before << " before";
    EXPECT_LT(peak_bytes() - bytes_before, (support::sanitized ? 1024 : 256) * mebibyte);
    ASSERT_TRUE(rank_->drained(rank_->ask_drain(++epoch_, Purpose::close)).status.ok());
    line_.answer(rank_->ask_leave());
    line_.close();
    model_.resize(end_);
    EXPECT_TRUE(content() == model_);
    EXPECT_TRUE(gone(process_)) << "the agent outlives all who knew it";
}

}  // namespace
}  // namespace kumihimo::iod::test
