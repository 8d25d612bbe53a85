// The file service of another machine (`kumihimo-iod --stdio`) and the relay that leads to it, with friends and foes: whoever
// speaks wrong is told so and loses the connection, everything stays below the root, and nothing is left running.
#include "tests/iod/process/far.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "iod/link/command.hpp"
#include "iod/process/agent.hpp"
#include "iod/protocol/bulk.hpp"
#include "tests/support/long_form.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {
namespace {

constexpr int patience_seconds = 20;

// Readable when the process has ended, whoever buries it.
base::Descriptor watched(pid_t process) {
    return base::Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}

// Stops a process, and returns when none of its threads runs any more: until then it may take what is sent to it.
void stop(pid_t process) {
    ASSERT_EQ(::kill(process, SIGSTOP), 0);
    const auto runs = [](const fs::directory_entry& thread) {
        std::ifstream file(thread.path() / "stat");
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        const std::size_t state = text.rfind(')');
        return state != std::string::npos && text.at(state + 2) != 'T';
    };
    const std::string threads = fmt::format("/proc/{}/task", process);
    while (std::ranges::any_of(fs::directory_iterator(threads), runs))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::string frame(Type type, std::uint32_t session, std::uint64_t request, const Payload& payload) {
    const HeaderBytes header = encode_header({type, flag_checksum, session, 0, request, 0}, payload);
    std::string bytes(reinterpret_cast<const char*>(header.data()), header.size());
    return bytes.append(reinterpret_cast<const char*>(payload.data()), payload.size());
}

// ---- friends ----

TEST_F(Far, WritesAndReadsWhatLayoutsSay) {
    Service service(words());
    service.line.greet();
    const auto opened = service.line.call<FileOpened>(Type::file_open, 0, open_as("/data"));
    ASSERT_TRUE(opened.status.ok()) << opened.status.text;
    EXPECT_TRUE(write(service.line, opened.session, {{{1, 2, {{3, 4}}}}}, "abcdef").ok());
    EXPECT_EQ(contents("data"), std::string("\0ab\0\0cd\0\0ef", 11));
    EXPECT_EQ(read(service.line, opened.session, {{{2, 1, {{2, 4}}}, {9, 100, {}}}}), "bdef") << "until the file ends";
    const auto size = service.line.call<Result>(Type::file_call, opened.session, FileCall{FileFunction::size, 0});
    EXPECT_EQ(size.value, 11);
    EXPECT_TRUE(service.line.call<Result>(Type::file_call, opened.session, FileCall{FileFunction::close, 0}).status.ok());
    EXPECT_TRUE(service.line.call<Status>(Type::file_remove, 0, FileRemove{"data"}).ok());
    EXPECT_FALSE(fs::exists(root() / "data"));
}

TEST_F(Far, QuestionsAboutFilesThatAreNotOpen) {
    Service service(words());
    service.line.greet();
    const auto about = service.line.call<About>(Type::file_about, 0, FileAbout{});
    EXPECT_TRUE(about.status.ok() && !about.read_only);
    EXPECT_EQ(about.root, fs::canonical(root()).string());
    const auto opened = service.line.call<FileOpened>(Type::file_open, 0, open_as("b"));
    ASSERT_TRUE(write(service.line, opened.session, {{{0, 3, {}}}}, "abc").ok());
    const auto digest = [&](std::int64_t bytes) {
        return service.line.call<Result>(Type::file_call, opened.session, FileCall{FileFunction::digest, bytes}).value;
    };
    EXPECT_EQ(static_cast<std::uint64_t>(digest(100)), 0x78af5f94892f3950u) << "as xxhsum -H3 says of abc";
    EXPECT_EQ(static_cast<std::uint64_t>(digest(0)), 0x2d06800538d394c2u) << "of nothing";
    (void)digest(3);
    ASSERT_TRUE(write(service.line, opened.session, {{{1, 3, {}}}}, "bcd").ok());
    const std::int64_t of_abcd = digest(4);
    ASSERT_TRUE(write(service.line, opened.session, {{{0, 1, {}}}}, "x").ok());
    EXPECT_NE(digest(4), of_abcd) << "what was written again counts";
    ASSERT_TRUE(write(service.line, opened.session, {{{0, 1, {}}}}, "a").ok());
    EXPECT_EQ(digest(4), of_abcd);
    EXPECT_TRUE(service.line.call<Result>(Type::file_call, opened.session, FileCall{FileFunction::set_size, 3}).status.ok());
    EXPECT_EQ(static_cast<std::uint64_t>(digest(100)), 0x78af5f94892f3950u) << "of what is left";
    fs::create_directory(root() / "a");
    const auto listed = service.line.call<Listed>(Type::file_list, 0, FileList{"/", ""});
    ASSERT_TRUE(listed.status.ok() && listed.entries.size() >= 2 && !listed.more);
    EXPECT_EQ(listed.entries[0].name, "a");
    EXPECT_EQ(listed.entries[0].kind, FileKind::directory);
    EXPECT_EQ(listed.entries[1].bytes, 3);
    EXPECT_EQ(service.line.call<Listed>(Type::file_list, 0, FileList{"/", "a"}).entries.size(), listed.entries.size() - 1);
    EXPECT_EQ(service.line.call<Status>(Type::file_rename, 0, FileRename{"b", "a/c", opened.file + 1}).code,
              Code::no_such_file);
    EXPECT_FALSE(fs::exists(root() / "a/c")) << "another file than the one that is meant";
    EXPECT_TRUE(service.line.call<Status>(Type::file_rename, 0, FileRename{"b", "a/c", opened.file}).ok());
    EXPECT_EQ(contents("a/c"), "abc");
    const auto looked = service.line.call<Looked>(Type::file_look, 0, FileLook{"a/c"});
    EXPECT_TRUE(looked.status.ok() && looked.facts.bytes == 3 && looked.facts.name == "c");
    for (const char* outside : {"..", "../outside", "a/../../outside"}) {
        EXPECT_FALSE(service.line.call<Looked>(Type::file_look, 0, FileLook{outside}).status.ok());
        EXPECT_FALSE(service.line.call<Listed>(Type::file_list, 0, FileList{outside, ""}).status.ok());
        EXPECT_FALSE(service.line.call<Status>(Type::file_rename, 0, FileRename{"a/c", outside}).ok());
        EXPECT_FALSE(service.line.call<Status>(Type::file_rename, 0, FileRename{outside, "a/d"}).ok());
    }
    expect_nothing_outside();
}

TEST_F(Far, SessionsShareLockAndPointerAlsoThoseOfTwoProcesses) {
    Service one(words()), other(words());
    one.line.greet(), other.line.greet();
    const auto first = one.line.call<FileOpened>(Type::file_open, 0, open_as("data"));
    const auto second = other.line.call<FileOpened>(Type::file_open, 0, open_as("data", false));
    ASSERT_TRUE(first.status.ok() && second.status.ok());
    const auto call = [](Line& line, std::uint32_t session, FileFunction function, std::int64_t value = 0) {
        return line.call<Result>(Type::file_call, session, FileCall{function, value});
    };
    EXPECT_EQ(call(one.line, first.session, FileFunction::shared_add, 5).value, 0);
    EXPECT_EQ(call(other.line, second.session, FileFunction::shared_add, 2).value, 5);
    EXPECT_EQ(call(one.line, first.session, FileFunction::shared_add, 1).value, 7);
    EXPECT_TRUE(call(one.line, first.session, FileFunction::lock).status.ok());
    const auto waits = other.line.ask(Type::file_call, second.session, encode(FileCall{FileFunction::lock, 0}));
    EXPECT_TRUE(write(one.line, first.session, {{{0, 3, {}}}}, "one").ok());
    EXPECT_TRUE(call(one.line, first.session, FileFunction::unlock).status.ok());
    EXPECT_TRUE(decode<Result>(other.line.answer(waits)).status.ok());
    EXPECT_EQ(read(other.line, second.session, {{{0, 9, {}}}}), "one");
}

// What the line of a key in authorized_keys says, and no more.
TEST_F(Far, AllowsWhatItsArgumentsSay) {
    const auto with = [this](std::initializer_list<std::string> arguments) {
        std::vector<std::string> all = words();
        all.insert(all.end(), arguments);
        return all;
    };
    const Layout ten{{{0, 10, {}}}};
    FileOpen written = open_as("data"), back = open_as("data", false);
    written.mode.read = back.mode.write = false;
    Service takes(with({"--allow", "write,create", "--largest-file", "10"}));
    takes.line.greet();
    const auto file = takes.line.call<FileOpened>(Type::file_open, 0, written);
    ASSERT_TRUE(file.status.ok()) << file.status.text;
    EXPECT_TRUE(write(takes.line, file.session, ten, "0123456789").ok());
    EXPECT_EQ(write(takes.line, file.session, {{{10, 1, {}}}}, "x").code, Code::too_large);
    EXPECT_EQ(takes.line.call<FileOpened>(Type::file_open, 0, back).status.errno_name, "EACCES");
    EXPECT_EQ(takes.line.call<Status>(Type::file_remove, 0, FileRemove{"data"}).errno_name, "EACCES");
    Service gives(with({"--read-only"}));
    gives.line.greet();
    const auto found = gives.line.call<FileOpened>(Type::file_open, 0, back);
    ASSERT_TRUE(found.status.ok()) << found.status.text;
    EXPECT_EQ(read(gives.line, found.session, ten), "0123456789");
    EXPECT_EQ(gives.line.call<FileOpened>(Type::file_open, 0, written).status.errno_name, "EROFS");
    EXPECT_EQ(contents("data"), "0123456789");
    Service wrong(with({"--allow", "write,everything"}));
    EXPECT_TRUE(wrong.line.closed_by_peer());
    EXPECT_NE(wrong.command.complaint().find("RIGHTS"), std::string::npos);
}

// ---- foes ----

TEST_F(Far, WhoeverSpeaksWrongIsToldAndLosesTheConnection) {
    const Layout byte{{{0, 1, {}}}};
    Payload no_call = encode(FileCall{});
    no_call[0] = std::byte{99};
    const struct {
        Type type;
        std::uint32_t session;
        Payload payload;
    } wrong[] = {
        {Type::file_read, 99, encode_layout_head(byte)},
        {Type::file_read, 1, encode_layout_head({{{-1, 1, {}}}})},
        {Type::file_read, 1, encode_layout_head({{{0, 1, {{1ll << 40, 1}}}}})},
        {Type::file_read, 1, with_bytes(byte, "x")},
        {Type::file_read, 1, {}},
        {Type::file_write, 1, with_bytes(byte, "")},
        {Type::file_write, 1, with_bytes(byte, "xy")},
        {Type::file_call, 1, no_call},
        {Type::file_call, 1, encode(FileCall{FileFunction::set_size, -1})},
        {Type::file_call, 1, {}},
        {Type::records, 1, {}},
        {Type::route, 0, encode(Route{{"/bin/true"}, "x", 1, 1})},
        {Type::open, 0, encode(Open{})},
        {Type::file_open, 0, {}},
        {Type::file_look, 0, {}},
        {Type::file_list, 0, {}},
        {Type::file_rename, 0, encode(FileLook{"data"})},
        {Type::file_open, 0, encode(open_as(std::string(40'000, 'x')))},
    };
    for (const auto& [type, session, payload] : wrong) {
        Service service(words());
        service.line.greet();
        ASSERT_TRUE(service.line.call<FileOpened>(Type::file_open, 0, open_as("data")).status.ok());
        service.line.ask(type, session, payload);
        EXPECT_TRUE(service.line.closed_by_peer());
        EXPECT_EQ(service.line.told().code, Code::bad_request) << static_cast<int>(type) << service.line.told().text;
    }
    EXPECT_EQ(contents("data"), "");
    expect_nothing_outside();
}

// As many frames as are taken without waiting for more than a moment, but no more bytes than that.
std::size_t flood(Line& line, const std::string& frame, std::size_t most_bytes) {
    std::size_t sent = 0, at = 0;
    for (pollfd room{line.socket(), POLLOUT, 0}; sent < most_bytes && poll(&room, 1, 200) == 1;) {
        const ssize_t part = ::send(line.socket(), frame.data() + at, frame.size() - at, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (part < 0) break;
        sent += static_cast<std::size_t>(part);
        at = (at + static_cast<std::size_t>(part)) % frame.size();
    }
    return sent;
}

// Whatever is asked, and of however many files: requests wait in the other machine's memory only as far as is allowed.
TEST_F(Far, FloodsAreHeldBack) {
    const std::string data(4 << 20, 'x');
    for (int i = 0; i < 100; ++i) std::ofstream(root() / fmt::format("file with a rather long name, number {:40}", i));
    const auto write_some = [&](std::uint32_t session) {
        return frame(Type::file_write, session, 9, with_bytes({{{0, static_cast<Offset>(data.size()), {}}}}, data));
    };
    const auto ask_size = [](std::uint32_t session) {
        return frame(Type::file_call, session, 9, encode(FileCall{FileFunction::size, 0}));
    };
    const auto ask_list = [](std::uint32_t) { return frame(Type::file_list, 0, 9, encode(FileList{"/", ""})); };
    const struct {
        std::function<std::string(std::uint32_t)> frame_of;
        std::size_t most, far_too_many;
    } floods[] = {{write_some, 96 << 20, 128 << 20}, {ask_size, 4 << 20, 6 << 20}, {ask_list, 4 << 20, 6 << 20}};
    for (const auto& [frame_of, most, far_too_many] : floods) {
        Service service(words());
        const std::string name = service.line.greet().name;
        const base::Descriptor process = watched(std::stoi(name.substr(name.rfind(' '))));
        const auto busy = service.line.call<FileOpened>(Type::file_open, 0, open_as("busy"));
        ASSERT_TRUE(busy.status.ok());
        ASSERT_TRUE(service.line.call<FileOpened>(Type::file_open, 0, open_as("busy", false)).status.ok());
        const FileCall large{FileFunction::set_size, Offset{1} << 40}, long_work{FileFunction::digest, Offset{1} << 40};
        ASSERT_TRUE(service.line.call<Result>(Type::file_call, busy.session, large).status.ok());
        service.line.ask(Type::file_call, busy.session, encode(long_work));
        EXPECT_LT(flood(service.line, frame_of(busy.session), far_too_many), most);
        service.line.close();
        pollfd end{process.get(), POLLIN, 0};
        EXPECT_EQ(poll(&end, 1, Line::patience_ms), 1) << "what takes long is given up when nobody waits for it";
    }
}

// Valid conversations with some bytes changed (the checksum is right), and cut anywhere: each ends, and honest ones go on.
// (More of them, within a process: tests/iod/fuzz.)
TEST_F(Far, MutatedAndCutConversationsEnd) {
    std::mt19937_64 random(11);
    const auto hello = [] { return frame(Type::hello, 0, 0, encode(Hello{1, newest_version, 3, largest_frame, {}, "a foe"})); };
    for (int round = 0; round < (support::long_form() ? 120 : 30); ++round) {
        const std::pair<Type, Payload> messages[] = {
            {Type::file_open, encode(open_as("data"))},
            {Type::file_write, with_bytes({{{5, 2, {{2, 9}}}}}, "abcd")},
            {Type::file_read, encode_layout_head({{{0, 3, {{4, 7}}}, {60, 2, {}}}})},
            {Type::file_call, encode(FileCall{FileFunction::preallocate, 100})},
            {Type::file_call, encode(FileCall{FileFunction::shared_add, 1})},
            {Type::file_remove, encode(FileRemove{"other"})},
        };
        const std::size_t changed = random() % std::size(messages);
        std::string all = hello();
        for (std::size_t i = 0; i < std::size(messages); ++i) {
            Payload payload = messages[i].second;
            // Sizes stay small: a file of 2^62 bytes is no fault of the service.
            const bool mutable_size = messages[i].first == Type::file_call;
            if (i == changed && !payload.empty())
                payload[random() % (mutable_size ? 1 : payload.size())] = static_cast<std::byte>(random());
            if (i == changed && random() % 4 == 0) payload.resize(random() % (payload.size() + 1));
            all += frame(messages[i].first, messages[i].first == Type::file_open ? 0 : 1, i + 1, payload);
        }
        if (round % 3 == 0) all.resize(random() % all.size());
        Service service(words());
        try {
            service.line.send(std::as_bytes(std::span(all)));
        } catch (const std::exception&) {  // it has closed the connection already
        }
        ::shutdown(service.line.socket(), SHUT_WR);
        EXPECT_TRUE(service.line.closed_by_peer()) << "round " << round;
    }
    expect_nothing_outside();
    Service honest(words());
    honest.line.greet();
    EXPECT_TRUE(honest.line.call<FileOpened>(Type::file_open, 0, open_as("data")).status.ok());
}

// ---- the relay ----

TEST_F(Far, RelaysTakeEachTokenOnceAndNoOther) {
    StartedAgent started = start_agent();
    Line opener(started.connection);
    opener.greet();
    const auto routed = opener.call<Routed>(Type::route, 0, Route{words(), "elsewhere", 2, patience_seconds});
    ASSERT_TRUE(routed.status.ok()) << routed.status.text;
    ASSERT_EQ(routed.rank_tokens.size(), 1u);
    std::mt19937_64 random(3);
    for (int i = 0; i < (support::long_form() && !support::sanitized ? 100'000 : 300); ++i) {
        Token token = routed.rank_tokens.front();
        token[random() % token.size()] ^= static_cast<std::byte>(1 + random() % 255);
        Line stranger = Line::local(routed.local_address);
        EXPECT_THROW(stranger.greet(token), std::runtime_error);
    }
    Line second = Line::local(routed.local_address);
    second.greet(routed.rank_tokens.front());
    Line thief = Line::local(routed.local_address);
    EXPECT_THROW(thief.greet(routed.rank_tokens.front()), std::runtime_error);
    const auto first_file = opener.call<FileOpened>(Type::file_open, 0, open_as("data"));
    const auto second_file = second.call<FileOpened>(Type::file_open, 0, open_as("data", false));
    ASSERT_TRUE(first_file.status.ok() && second_file.status.ok());
    EXPECT_TRUE(write(second, second_file.session, {{{0, 2, {}}}}, "ab").ok());
    EXPECT_EQ(read(opener, first_file.session, {{{0, 9, {}}}}), "ab");
    second.close();
    EXPECT_EQ(read(opener, first_file.session, {{{0, 9, {}}}}), "ab") << "one that goes is no reason for others to stop";
}

TEST_F(Far, RelaysSayWhyNobodyIsThere) {
    const struct {
        std::vector<std::string> command;
        const char* reason;
        std::uint32_t patience = patience_seconds;
    } ways[] = {{{"/does/not/exist"}, "No such file"},
                {{"sh", "-c", "echo no way >&2; exit 3"}, "no way"},
                {{"sh", "-c", "echo welcome, whoever you may be, to this shell; cat"}, "no frame"},
                {{"sleep", "30"}, "in time", 1}};
    for (const auto& [command, reason, patience] : ways) {
        StartedAgent started = start_agent();
        Line line(started.connection);
        line.greet();
        const auto routed = line.call<Routed>(Type::route, 0, Route{command, "elsewhere", 1, patience});
        EXPECT_NE(routed.status.text.find(reason), std::string::npos) << routed.status.text;
        EXPECT_NE(routed.status.text.find("elsewhere"), std::string::npos) << routed.status.text;
    }
}

// ---- connections that break ----

// Through a connection that breaks when so many bytes have gone there, or have come back; the next one does what `then` says.
class Breaking : public Far {
protected:
    static constexpr const char* there = "dd bs=1 count=$N status=none | \"$IOD\" --stdio --root \"$ROOT\" | cat";
    static constexpr const char* back =
        "sh -c 'echo $$ >\"$1.cat\"; exec cat' sh \"$ROOT\" | \"$IOD\" --stdio --root \"$ROOT\" | "
        "(dd bs=1 count=$N status=none; kill $(cat \"$ROOT.cat\"))";
    static constexpr const char* go_on = "exec \"$IOD\" --stdio --root \"$ROOT\"";

    Route route(const std::string& how, std::size_t bytes, const std::string& then = go_on, std::uint32_t patience = 20) const {
        const std::string script = fmt::format("IOD='{}' ROOT='{}' N={}; if mkdir '{}' 2>/dev/null; then {}; else {}; fi",
                                               std::getenv("KUMIHIMO_IOD"), root().string(), bytes, mark().string(), how, then);
        return {{"setsid", "sh", "-c", script}, "elsewhere", 1, patience, true};
    }
    fs::path mark() const { return place_ / "mark"; }
    // A service that writes its number into a file first.
    std::vector<std::string> telling(const std::string& pid) const {
        return {"sh", "-c",
                fmt::format("echo $$ >'{}'; exec '{}' --stdio --root '{}'", pid, std::getenv("KUMIHIMO_IOD"), root().string())};
    }
    void again() const {
        fs::remove_all(root());
        fs::create_directory(root());
        fs::remove(mark());
    }
    // What a rank is told, one after the other.
    std::string converse(const Route& way) const {
        StartedAgent started = start_agent();
        Line line(started.connection);
        line.greet();
        EXPECT_TRUE(line.call<Routed>(Type::route, 0, way).status.ok());
        FileOpen open = open_as("data");
        std::random_device random;
        for (std::byte& byte : open.opening) byte = static_cast<std::byte>(random());
        open.sole = true;
        const auto file = line.call<FileOpened>(Type::file_open, 0, open);
        std::string told = fmt::format("{} ", static_cast<int>(file.status.code));
        const auto call = [&](FileFunction function, std::int64_t value = 0) {
            const auto result = line.call<Result>(Type::file_call, file.session, FileCall{function, value});
            told += fmt::format("{}:{} ", static_cast<int>(result.status.code), result.value);
        };
        const auto first = line.ask(Type::file_write, file.session, with_bytes({{{0, 10, {}}}}, "0123456789"));
        const auto second = line.ask(Type::file_write, file.session, with_bytes({{{3, 1, {{4, 2}}}}}, "abcd"));
        call(FileFunction::shared_add, 5), call(FileFunction::shared_add, 3);
        for (const auto number : {first, second})
            told += fmt::format("{} ", static_cast<int>(decode<Status>(line.answer(number)).code));
        told += read(line, file.session, {{{0, 99, {}}}});
        call(FileFunction::set_size, 40), call(FileFunction::size), call(FileFunction::shared_add, 1);
        told += fmt::format("{} ", static_cast<int>(write(line, file.session, {{{30, 3, {}}}}, "xyz").code));
        call(FileFunction::sync);
        const auto renamed = line.call<Status>(Type::file_rename, 0, FileRename{"data", "named", file.file});
        told += fmt::format("{} ", static_cast<int>(renamed.code));
        call(FileFunction::close);
        return told;
    }
};

// A piece of all positions: in the long form each of them, else two anywhere.
class BreakingAnywhere : public Breaking, public testing::WithParamInterface<std::tuple<bool, int>> {
public:
    static constexpr int pieces = 5;
    static constexpr std::size_t first = 170, last_there = 1018, last_back = 904;  // from the first claim to the last answer
};

INSTANTIATE_TEST_SUITE_P(Pieces, BreakingAnywhere,
                         testing::Combine(testing::Bool(), testing::Range(0, BreakingAnywhere::pieces)));

TEST_P(BreakingAnywhere, NothingIsLostOrDoneTwice) {
    const auto [on_the_way_back, piece] = GetParam();
    const char* const how = on_the_way_back ? back : there;
    const std::size_t end = on_the_way_back ? last_back : last_there;
    again();
    const std::string told = converse({words(), "elsewhere", 1, patience_seconds, true});
    const std::string written = contents("named");
    EXPECT_EQ(written, std::string("012a4b6c8d", 10) + std::string(20, '\0') + "xyz" + std::string(7, '\0'));
    std::vector<std::size_t> positions;
    for (std::size_t bytes = first + static_cast<std::size_t>(piece); bytes < end; bytes += pieces) positions.push_back(bytes);
    support::Random random;
    if (!support::long_form()) {
        std::ranges::shuffle(positions, random.engine());
        positions.resize(2);
    }
    for (const std::size_t bytes : positions) {
        again();
        const testing::ScopedTrace trace(__FILE__, __LINE__, fmt::format("{} bytes of: {}", bytes, how));
        EXPECT_EQ(converse(route(how, bytes)), told) << "broken after " << bytes << " bytes";
        EXPECT_EQ(contents("named"), written) << "broken after " << bytes << " bytes";
    }
}

// The network broke, and the other machine did not notice: what the old process had received must not come after what the new
// one wrote.
TEST_F(Breaking, WhatAnOldProcessHasReceivedIsNotWrittenLater) {
    again();
    const std::string in = root().string() + ".in", out = root().string() + ".out", pids = root().string() + ".pids";
    ASSERT_EQ(::mkfifo(in.c_str(), 0600) + ::mkfifo(out.c_str(), 0600), 0);
    base::Descriptor keeps_in(::open(in.c_str(), O_RDWR | O_CLOEXEC)), keeps_out(::open(out.c_str(), O_RDWR | O_CLOEXEC));
    const std::string how =
        "\"$IOD\" --stdio --root \"$ROOT\" <\"$ROOT.in\" >\"$ROOT.out\" & echo $! $$ >\"$ROOT.pids\"; "
        "cat \"$ROOT.out\" & echo $! >>\"$ROOT.pids\"; exec cat >\"$ROOT.in\"";
    StartedAgent started = start_agent();
    Line line(started.connection);
    line.greet();
    ASSERT_TRUE(line.call<Routed>(Type::route, 0, route(how, 0)).status.ok());
    const auto file = line.call<FileOpened>(Type::file_open, 0, open_as("data"));
    ASSERT_TRUE(write(line, file.session, {{{0, 5, {}}}}, "first").ok());
    pid_t old_process = 0, there_pipe = 0, back_pipe = 0;
    std::ifstream(pids) >> old_process >> there_pipe >> back_pipe;
    ASSERT_GT(back_pipe, 0);
    const base::Descriptor old = watched(old_process);
    stop(old_process);
    const Payload asked = with_bytes({{{0, 5, {}}}}, "older");
    const auto number = line.ask(Type::file_write, file.session, asked);
    for (int received = 0; received < static_cast<int>(header_bytes + asked.size());) {
        ASSERT_EQ(::ioctl(keeps_in.get(), FIONREAD, &received), 0);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(there_pipe, SIGKILL), ::kill(back_pipe, SIGKILL);
    EXPECT_TRUE(decode<Status>(line.answer(number)).ok()) << "by the next process";
    EXPECT_TRUE(write(line, file.session, {{{0, 5, {}}}}, "newer").ok());
    ::kill(old_process, SIGCONT);
    keeps_in = {}, keeps_out = {};
    pollfd end{old.get(), POLLIN, 0};
    ASSERT_EQ(poll(&end, 1, Line::patience_ms), 1) << "with its input it ends anyhow";
    EXPECT_EQ(contents("data"), "newer");
}

// A way that broke for good: whoever goes there again names it, and what still serves it is ended before anything is opened.
TEST_F(Breaking, WhatServesALostWayIsEndedFirst) {
    again();
    const std::string pids = root().string() + ".pids";
    Route lost{words(), "elsewhere", 1, patience_seconds, true};
    lost.way.fill(std::byte{9});
    lost.command = telling(pids);
    StartedAgent first = start_agent(), second = start_agent();
    Line old(first.connection), now(second.connection);
    old.greet();
    now.greet();
    ASSERT_TRUE(old.call<Routed>(Type::route, 0, lost).status.ok());
    const auto held = old.call<FileOpened>(Type::file_open, 0, open_as("data"));
    ASSERT_TRUE(write(old, held.session, {{{0, 5, {}}}}, "first").ok());
    pid_t old_process = 0;
    std::ifstream(pids) >> old_process;
    const base::Descriptor watched_process = watched(old_process);
    ASSERT_EQ(::kill(old_process, SIGSTOP), 0);  // it has not noticed anything
    Route again_there{words(), "elsewhere", 1, patience_seconds, true};
    again_there.lost = {lost.way};
    ASSERT_TRUE(now.call<Routed>(Type::route, 0, again_there).status.ok());
    pollfd end{watched_process.get(), POLLIN, 0};
    EXPECT_EQ(poll(&end, 1, 0), 1) << "it must be gone before the way is open";
}

// A program that has a file of the other machine open for writing.
struct Program {
    explicit Program(const std::vector<std::string>& service) : started(start_agent()), line(started.connection) {
        line.greet();
        EXPECT_TRUE(line.call<Routed>(Type::route, 0, Route{service, "elsewhere", 1, patience_seconds, true}).status.ok());
        FileOpen open = open_as("data");
        open.opening[1] = static_cast<std::byte>(++programs);
        const auto opened = line.call<FileOpened>(Type::file_open, 0, open);
        EXPECT_TRUE(opened.status.ok()) << opened.status.text;
        file = opened.session;
    }
    bool writes(const std::string& text) { return write(line, file, {{{0, static_cast<Offset>(text.size()), {}}}}, text).ok(); }
    bool closes() { return line.call<Result>(Type::file_call, file, FileCall{FileFunction::close, 0}).status.ok(); }

    static inline int programs = 0;
    StartedAgent started;
    Line line;
    std::uint32_t file = 0;
};

class TwoPrograms : public Breaking {
protected:
    void SetUp() override {
        if (std::ofstream(root() / "data"); ::setxattr((root() / "data").c_str(), "user.test", "", 0, 0) != 0)
            GTEST_SKIP() << "files have no attributes here";
        ::removexattr((root() / "data").c_str(), "user.test");
    }
    std::string pid() const { return root().string() + ".pid"; }
    void end_service_of_first() const {
        pid_t process = 0;
        std::ifstream(pid()) >> process;
        const base::Descriptor service = watched(process);
        ASSERT_EQ(::kill(process, SIGKILL), 0);
        pollfd end{service.get(), POLLIN, 0};
        ASSERT_EQ(poll(&end, 1, Line::patience_ms), 1);
    }
    ssize_t bytes_of_attributes() const { return ::listxattr((root() / "data").c_str(), nullptr, 0); }
};

// The first one's connection broke, the second one opened the file, wrote it and ended; then the first one comes back.
TEST_F(TwoPrograms, WhoWasLostDoesNotWriteOverWhoCameAfter) {
    Program first(telling(pid()));
    ASSERT_TRUE(first.writes("older"));
    end_service_of_first();
    Program second(words());
    ASSERT_TRUE(second.writes("newer") && second.closes());
    EXPECT_THROW((void)first.writes("older"), std::runtime_error);
    EXPECT_NE(first.line.told().text.find("another program has opened it for writing meanwhile"), std::string::npos)
        << first.line.told().text;
    EXPECT_EQ(contents("data"), "newer");
}

// Two that write one file as they like are none of anybody's business: one that breaks goes on.
TEST_F(TwoPrograms, WhoWasThereWhenTheOtherCameGoesOn) {
    Program first(telling(pid())), second(words());
    ASSERT_TRUE(first.writes("first") && second.writes("later"));
    end_service_of_first();
    EXPECT_TRUE(first.writes("again"));
    EXPECT_EQ(contents("data"), "again");
    EXPECT_TRUE(first.closes());
    EXPECT_GT(bytes_of_attributes(), 0) << "of the second one";
    EXPECT_TRUE(second.closes());
    EXPECT_EQ(bytes_of_attributes(), 0);
}

// Of what cannot be taken up again the reason is told, in time.
TEST_F(Breaking, WhyItCannotGoOn) {
    const struct {
        std::string then;
        const char* reason;
        std::uint32_t patience = patience_seconds;
    } ways[] = {
        {"echo no way back >&2; exit 3", "no way back", 3},  // it is tried again until then
        {"rm -f \"$ROOT/data\"; exec \"$IOD\" --stdio --root \"$ROOT\"", "No such file"},
        {"rm \"$ROOT/data\"; echo other >\"$ROOT/new\"; mv \"$ROOT/new\" \"$ROOT/data\"; " + std::string(go_on),
         "another file"},
    };
    for (const auto& [then, reason, patience] : ways) {
        again();
        StartedAgent started = start_agent();
        Line line(started.connection);
        line.greet();
        ASSERT_TRUE(line.call<Routed>(Type::route, 0, route(there, 450, then, patience)).status.ok());
        const auto file = line.call<FileOpened>(Type::file_open, 0, open_as("data"));
        ASSERT_TRUE(file.status.ok());
        EXPECT_THROW(
            {
                for (int i = 0; i < 10; ++i) (void)write(line, file.session, {{{0, 3, {}}}}, "abc");
            },
            std::runtime_error);
        EXPECT_NE(line.told().text.find(reason), std::string::npos) << line.told().text;
        EXPECT_NE(line.told().text.find("elsewhere"), std::string::npos) << line.told().text;
    }
}

}  // namespace
}  // namespace kumihimo::iod::test
