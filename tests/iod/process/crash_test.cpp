// SIGKILL at any point of I/O processes, of ranks or of both: without a mark beside it the file is what the last completed sync
// left, with one each of its bytes was written by somebody, and recovery keeps it so (docs/explanation/catwalk.md, "After a
// crash"). KUMIHIMO_TEST_LONG=1: hundreds of kills.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <array>

#include "iod/recover/survivors.hpp"
#include "tests/iod/process/agent_fixture.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {
namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<std::byte>;

struct Write {
    std::size_t rank, offset;
    Bytes data;
};
using Epoch = std::vector<Write>;  // what is written before a sync

// Regions of the ranks change with the epoch; within one a byte has one writer, who may write it again. Many small records
// overflow the buffers, few large ones are soon at the server.
Epoch draw_epoch(support::Random& random, std::size_t ranks, std::size_t number) {
    constexpr std::int64_t region = 50'000;
    const bool small = random.between(0, 1) == 0;
    Epoch epoch;
    for (std::int64_t i = random.between(0, small ? 6000 : 100); i > 0; --i) {
        const auto rank = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(ranks) - 1));
        const std::int64_t begin = random.between(0, region - 1);
        const std::int64_t bytes = random.between(1, std::min<std::int64_t>(small ? 100 : 20'000, region - begin));
        const std::size_t at = (rank + number) % ranks * region + static_cast<std::size_t>(begin);
        epoch.push_back({rank, at, Bytes(static_cast<std::size_t>(bytes), static_cast<std::byte>(random.between(1, 255)))});
    }
    return epoch;
}

void apply(const Epoch& epoch, Bytes& file) {
    for (const Write& write : epoch) {
        if (file.size() < write.offset + write.data.size()) file.resize(write.offset + write.data.size());
        std::ranges::copy(write.data, file.begin() + static_cast<std::ptrdiff_t>(write.offset));
    }
}

// What two handles of one file do in turn. Each has the pages of its own: a page has one byte everywhere, larger each time.
struct Step {
    std::size_t handle;
    enum { write, show, sync, reopen } what;
    std::size_t page = 0;
};
constexpr std::size_t page_bytes = 1000, pages = 40;
std::vector<Step> draw_steps(support::Random& random) {
    std::vector<Step> steps;
    for (std::int64_t i = random.between(1, 120); i > 0; --i) {
        const auto draw = random.between(0, 19);
        steps.push_back({static_cast<std::size_t>(random.between(0, 1)),
                         draw < 12   ? Step::write
                         : draw < 16 ? Step::show
                         : draw < 19 ? Step::sync
                                     : Step::reopen,
                         static_cast<std::size_t>(random.between(0, pages - 1))});
    }
    return steps;
}
// After the first steps: of each handle what it has written and what was durable last.
struct TwoHandles {
    std::array<std::vector<int>, 2> written{std::vector<int>(pages), std::vector<int>(pages)}, durable = written;

    void take(const Step& step) {
        if (step.what == Step::write) ++written[step.handle][step.page];
        if (step.what == Step::sync || step.what == Step::reopen) durable[step.handle] = written[step.handle];
    }
};

// What the process that plays the ranks tells: the agents, and how far it came.
struct Told {
    std::vector<int> agents;
    std::size_t begun = 0, completed = 0;  // syncs
};

class Crash : public AgentTest {
protected:
    void TearDown() override { EXPECT_TRUE(begun_at_all_) << "no round had begun to write when it was killed"; }
    void round(support::Random& random);
    void round_of_two(support::Random& random);

private:
    void draw(support::Random& random);
    void play(int pipe) const;
    void play_two(int pipe) const;
    template <typename Play>
    void kill_while(support::Random& random, std::size_t least_begun, std::int64_t milliseconds, Play&& play);
    void kill_something(support::Random& random, int ranks);
    void listen(int pipe, int milliseconds);
    Bytes after(std::size_t epochs) const;
    void expect_sound() const;
    void expect_two_sound() const;
    void expect_allowed(const Bytes& found) const;
    void recover() const;

    JobOptions wanted_;
    std::vector<Epoch> epochs_;
    Told told_;
    std::string unread_;
    std::vector<Step> steps_;    // of two handles
    bool begun_at_all_ = false;  // in any round: else nothing was killed that mattered
};

void Crash::draw(support::Random& random) {
    wanted_ = options();
    wanted_.nodes = static_cast<std::uint32_t>(random.between(1, 4));
    wanted_.ranks = static_cast<std::uint32_t>(random.between(1, 2));
    wanted_.servers = static_cast<std::uint32_t>(random.between(1, std::min<std::int64_t>(wanted_.nodes, 3)));
    wanted_.topology = static_cast<Topology>(random.between(0, 2));
    wanted_.options.method = static_cast<Method>(random.between(0, 3));
    wanted_.options.merge = random.between(0, 1) == 0;
    wanted_.options.sort_buffer = 2 << 20;
    wanted_.options.stripe = 10'000;
    wanted_.options.largest_record = 4096;
    wanted_.options.journal_directory = directory_.string();
    epochs_.clear();
    for (std::size_t number = 0; number < 5; ++number)
        epochs_.push_back(draw_epoch(random, std::size_t{wanted_.nodes} * wanted_.ranks, number));
    told_ = {};
    unread_.clear();
}

// In a process of its own, which may be killed. Each line is one write to the pipe.
void Crash::play(int pipe) const {
    const auto tell = [&](const std::string& line) {
        if (::write(pipe, (line + "\n").data(), line.size() + 1) < 0) _exit(1);
    };
    Job job(wanted_);
    for (std::size_t node = 0; node < wanted_.nodes; ++node) tell("agent " + std::to_string(job.process(node)));
    for (std::size_t number = 0; number < epochs_.size(); ++number) {
        for (const Write& write : epochs_[number]) job.rank(write.rank).write(static_cast<Offset>(write.offset), write.data);
        tell("begun " + std::to_string(number + 1));
        for (const Status& status : job.drain(number + 1 == epochs_.size() ? Purpose::close : Purpose::sync))
            if (!status.ok()) return;
        tell("completed " + std::to_string(number + 1));
    }
    job.leave();
}

void Crash::listen(int pipe, int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd state{pipe, POLLIN, 0};
        char text[4096];
        if (poll(&state, 1, static_cast<int>(std::max<std::int64_t>(0, left.count()))) != 1) break;
        const ssize_t got = ::read(pipe, text, sizeof text);
        if (got <= 0) break;
        unread_.append(text, static_cast<std::size_t>(got));
    }
    for (std::size_t line; (line = unread_.find('\n')) != std::string::npos; unread_.erase(0, line + 1)) {
        const std::size_t space = unread_.find(' ');
        const std::size_t number = std::stoul(unread_.substr(space));
        if (unread_.starts_with("agent")) told_.agents.push_back(static_cast<int>(number));
        if (unread_.starts_with("begun")) told_.begun = number;
        if (unread_.starts_with("completed")) told_.completed = number;
    }
}

// All I/O processes, one of them, the ranks, or everything.
void Crash::kill_something(support::Random& random, int ranks) {
    const std::int64_t what = random.between(0, 3);
    if (what == 2 || told_.agents.size() < wanted_.nodes) {
        kill(ranks, SIGKILL);
    } else if (what == 1) {
        kill(told_.agents[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(told_.agents.size()) - 1))],
             SIGKILL);
    } else {
        if (what == 3) kill(ranks, SIGKILL);
        for (const int agent : told_.agents)
            if (!ended(agent)) kill(agent, SIGKILL);
    }
}

Bytes Crash::after(std::size_t epochs) const {
    Bytes file;
    for (std::size_t number = 0; number < epochs; ++number) apply(epochs_[number], file);
    return file;
}

void Crash::expect_sound() const {
    const Bytes found = content();
    const recover::Survivors survivors = recover::find_survivors(path_.string(), {directory_.string()});
    if (survivors.incomplete()) return expect_allowed(found);
    EXPECT_TRUE(found == after(told_.completed) || found == after(told_.begun))
        << "no mark, but not what sync " << told_.completed << " left (" << told_.begun << " begun)";
}

// Of each byte: what the last completed sync left, or what anybody wrote later; or a hole.
void Crash::expect_allowed(const Bytes& found) const {
    const Bytes before = after(told_.completed);
    std::vector<std::basic_string<unsigned char>> later(found.size());
    if (told_.completed < epochs_.size())
        for (const Write& write : epochs_[told_.completed])
            for (std::size_t i = 0; i < write.data.size(); ++i) {
                const std::size_t at = write.offset + i;
                if (at < later.size()) later[at] += static_cast<unsigned char>(write.data[i]);
            }
    ASSERT_GE(found.size(), before.size());
    for (std::size_t at = 0; at < found.size(); ++at) {
        const bool old = found[at] == (at < before.size() ? before[at] : std::byte{0});
        ASSERT_TRUE(old || later[at].find(static_cast<unsigned char>(found[at])) != std::string::npos)
            << "nobody wrote byte " << at;
    }
}

void Crash::recover() const {
    recover::Survivors survivors = recover::find_survivors(path_.string(), {directory_.string()});
    EXPECT_FALSE(survivors.in_use());
    if (!survivors.empty() && survivors.replayable()) {
        recover::replay(survivors);
        recover::remove(survivors, true);
        expect_allowed(content());
    }
    recover::remove(recover::find_survivors(path_.string(), {directory_.string()}), false);
    // A journal whose maker died before its first bytes were there does not say of which file it is, and is only told of. A
    // mark whose maker died before it counted is left for a minute: it may be being made.
    const auto begun = std::ranges::count(survivors.marks, marks::Mark::State::begun, &marks::Mark::state);
    EXPECT_EQ(neighbours(), survivors.unreadable.size() + static_cast<std::size_t>(begun));
    for (const auto& entry : fs::directory_iterator(directory_))
        if (entry.path() != path_) fs::remove(entry.path());
}

template <typename Play>
void Crash::kill_while(support::Random& random, std::size_t least_begun, std::int64_t milliseconds, Play&& play) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const pid_t ranks = fork();
    if (ranks == 0) {
        try {
            play(ends[1]);
        } catch (const std::exception&) {
        }
        _exit(0);
    }
    ::close(ends[1]);
    const auto enough = [&] { return told_.begun >= least_begun || ended(ranks); };
    for (const auto end = std::chrono::steady_clock::now() + 10s; !enough() && std::chrono::steady_clock::now() < end;)
        listen(ends[0], 1);
    listen(ends[0], static_cast<int>(random.between(0, milliseconds)));
    kill_something(random, ranks);
    listen(ends[0], 300);  // who is left finds out
    kill(ranks, SIGKILL);
    int status = 0;
    waitpid(ranks, &status, 0);
    listen(ends[0], 0);
    ::close(ends[0]);
    begun_at_all_ = begun_at_all_ || told_.begun > 0;
    for (const int agent : told_.agents) EXPECT_TRUE(gone(agent)) << "an I/O process outlives its job";
}

void Crash::round(support::Random& random) {
    draw(random);
    fs::remove(path_);
    // Most rounds wait for a sync that has begun, however slow the machine; the others meet the start.
    const auto begun = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(epochs_.size())));
    kill_while(random, begun, 60, [&](int pipe) { play(pipe); });
    expect_sound();
    recover();
}

// ---- two handles ----

// They are two jobs, with I/O processes of their own.
void Crash::play_two(int pipe) const {
    const auto tell = [&](const std::string& line) {
        if (::write(pipe, (line + "\n").data(), line.size() + 1) < 0) _exit(1);
    };
    std::array<std::unique_ptr<Job>, 2> jobs;
    const auto open = [&](std::size_t handle) {
        jobs[handle] = std::make_unique<Job>(wanted_);
        if (!jobs[handle]->status().ok()) _exit(1);
        for (std::size_t node = 0; node < wanted_.nodes; ++node) tell("agent " + std::to_string(jobs[handle]->process(node)));
    };
    open(0);
    open(1);
    TwoHandles so_far;
    for (std::size_t number = 0; number < steps_.size(); ++number) {
        const Step& step = steps_[number];
        Job& job = *jobs[step.handle];
        so_far.take(step);
        tell("begun " + std::to_string(number + 1));
        const auto version = static_cast<std::byte>(so_far.written[step.handle][step.page]);
        const std::size_t at = (step.handle * pages + step.page) * page_bytes;
        if (step.what == Step::write)
            job.rank(at % job.ranks()).write(static_cast<Offset>(at), Bytes(page_bytes, version));
        else
            for (const Status& status : job.drain(step.what == Step::show   ? Purpose::show
                                                  : step.what == Step::sync ? Purpose::sync
                                                                            : Purpose::close))
                if (!status.ok()) return;
        if (step.what == Step::reopen) job.leave(), open(step.handle);
        tell("completed " + std::to_string(number + 1));
    }
}

// Without a mark each handle's part is what its last sync left: the last completed one, or the one under way. With one it is
// what was durable or anything newer.
void Crash::expect_two_sound() const {
    TwoHandles completed, begun;
    for (std::size_t number = 0; number < told_.completed; ++number) completed.take(steps_[number]);
    for (std::size_t number = 0; number < told_.begun; ++number) begun.take(steps_[number]);
    const bool marked = recover::find_survivors(path_.string(), {directory_.string()}).incomplete();
    Bytes found = content();
    found.resize(2 * pages * page_bytes);
    for (std::size_t handle = 0; handle < 2; ++handle) {
        bool as_completed = true, as_begun = true;
        for (std::size_t i = 0; i < pages * page_bytes; ++i) {
            const int byte = static_cast<int>(found[handle * pages * page_bytes + i]);
            const std::size_t page = i / page_bytes;
            as_completed = as_completed && byte == completed.durable[handle][page];
            as_begun = as_begun && byte == begun.durable[handle][page];
            ASSERT_GE(byte, completed.durable[handle][page]) << "handle " << handle << ", page " << page;
            ASSERT_LE(byte, begun.written[handle][page]) << "handle " << handle << ", page " << page;
        }
        EXPECT_TRUE(marked || as_completed || as_begun) << "no mark, but handle " << handle << " had written since its sync";
    }
}

void Crash::round_of_two(support::Random& random) {
    draw(random);
    steps_ = draw_steps(random);
    fs::remove(path_);
    const auto step = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(steps_.size())));
    kill_while(random, step, 3, [&](int pipe) { play_two(pipe); });
    expect_two_sound();
    recover::remove(recover::find_survivors(path_.string(), {directory_.string()}), false);
    for (const auto& entry : fs::directory_iterator(directory_)) {
        const bool mark = entry.path().filename().string().find("complete") != std::string::npos;
        EXPECT_FALSE(mark) << entry.path();
        fs::remove(entry.path());
    }
}

TEST_F(Crash, LeavesAFileThatSaysWhatItIs) {
    support::Random random;
    for (int i = 0; i < (support::long_form() ? 300 : 12) && !HasFailure(); ++i) {
        SCOPED_TRACE("round " + std::to_string(i) + ", KUMIHIMO_TEST_SEED=" + std::to_string(random.seed()));
        round(random);
    }
}

TEST_F(Crash, OfTwoHandlesIsToldOfEach) {
    support::Random random;
    for (int i = 0; i < (support::long_form() ? 500 : 12) && !HasFailure(); ++i) {
        SCOPED_TRACE("round " + std::to_string(i) + ", KUMIHIMO_TEST_SEED=" + std::to_string(random.seed()));
        round_of_two(random);
    }
}

}  // namespace
}  // namespace kumihimo::iod::test
