// Where processes, threads and descriptors cannot be had: who starts an agent is told the real reason, or it works with fewer.
#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/error.hpp"
#include "tests/iod/process/agent_fixture.hpp"

namespace kumihimo::iod::test {
namespace {

class Starting : public AgentTest {
protected:
    fs::path script(const std::string& text, bool executable = true) const {
        const fs::path name = directory_ / "program";
        std::ofstream(name) << text;
        fs::permissions(name, executable ? fs::perms::owner_all : fs::perms::owner_read);
        return name;
    }
    // What starting it is told; empty: nothing.
    static std::string told(const fs::path& program) {
        try {
            const StartedAgent started = start_agent(program.string());
            Line line(started.connection);
            try {
                line.greet();
            } catch (const std::runtime_error&) {  // it may have closed the connection before
                line.closed_by_peer();
            }
            return line.told().text;
        } catch (const base::Error& error) {
            return error.what();
        }
    }
    static void expect_told(const fs::path& program, std::initializer_list<const char*> words) {
        const std::string text = told(program);
        for (const char* const word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
    }
};

TEST_F(Starting, TheReasonIsTold) {
    const std::string program = std::getenv("KUMIHIMO_IOD");
    expect_told(directory_ / "none", {"none", "No such file"});
    expect_told(script("#!/bin/sh\nexit 3\n"), {"exit status 3"});
    expect_told(script("#!/bin/sh\nkill -9 $$\n"), {"signal 9"});
    expect_told(script("no program"), {"Exec format error"});
    expect_told(script("#!/bin/sh\n", false), {"Permission denied"});
#if !KUMIHIMO_SANITIZED  // which asks a pipe of its own whether memory can be read
    expect_told(script("#!/bin/sh\nulimit -n 5\nexec '" + program + "'\n"), {"Too many open files", "EMFILE", "ulimit -n"});
#endif
}

#if !KUMIHIMO_SANITIZED  // whose shadow is more address space than any limit
// Each file has a thread, whose stack is memory: those that find none are told so, those that are open go on.
TEST_F(Starting, WithoutMemoryFilesAreRefusedAndTheProcessGoesOn) {
    const StartedAgent started = start_agent();
    Line line(started.connection);
    const std::string name = line.greet().name;
    const int process = std::stoi(name.substr(name.rfind(' ')));
    Open open;
    open.path = path_.string();
    open.mode = {true, true, true, false, false, 0644};
    const Opened opened = line.call<Opened>(Type::open, 0, open);
    ASSERT_TRUE(line.call<Status>(Type::attach, opened.session, Attach{{Parent{true, {}, 0, {}}}}).ok());
    Rank rank(line, opened.session, 0);
    const std::vector<std::byte> data(1000, std::byte{7});
    rank.write(0, data);
    ASSERT_TRUE(rank.drained(rank.ask_drain(1, Purpose::sync)).status.ok());
    std::size_t pages = 0;
    std::ifstream("/proc/" + std::to_string(process) + "/statm") >> pages;
    const rlimit enough{pages * 4096 + (1 << 20), RLIM_INFINITY};
    ASSERT_EQ(prlimit(process, RLIMIT_AS, &enough, nullptr), 0);
    for (int i = 0; i < 5; ++i) {
        open.path = (directory_ / std::to_string(i)).string();
        const Opened other = line.call<Opened>(Type::open, 0, open);
        EXPECT_EQ(other.status.code, Code::out_of_memory) << other.status.text;
        EXPECT_NE(other.status.text.find("(E"), std::string::npos) << other.status.text;
    }
    rank.write(0, data);
    EXPECT_TRUE(rank.drained(rank.ask_drain(2, Purpose::close)).status.ok());
    line.answer(rank.ask_leave());
    EXPECT_EQ(content(), data);
}
#endif

// The process and thread limit of a user of its own, from none to enough; root has no such limit, but may become that user.
class FewProcesses : public Starting {
protected:
    // Runs `what` as a user with so many processes; what it returns.
    template <typename What>
    std::string with_limit(rlim_t processes, What&& what) {
        int pipe[2];
        if (::pipe(pipe) != 0) throw std::runtime_error("pipe");
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            const uid_t user = 100'000 + static_cast<uid_t>(getppid() % 10'000);
            const rlimit limit{processes, processes};
            std::string text = "cannot become another user";
            if (setgroups(0, nullptr) == 0 && setgid(user) == 0 && setrlimit(RLIMIT_NPROC, &limit) == 0 && setuid(user) == 0)
                text = what();
            [[maybe_unused]] const auto written = ::write(pipe[1], text.data(), text.size());
            _exit(0);
        }
        ::close(pipe[1]);
        std::string text;
        char byte;
        while (::read(pipe[0], &byte, 1) == 1) text += byte;
        ::close(pipe[0]);
        int status = 0;
        waitpid(child, &status, 0);
        EXPECT_TRUE(WIFEXITED(status)) << "with " << processes << " processes it was ended by signal " << WTERMSIG(status);
        return text;
    }
    // Writes 1000 bytes through an agent, and returns what went wrong.
    std::string write_through(const std::string& program) const try {
        const StartedAgent started = start_agent(program);
        Line line(started.connection);
        line.greet();
        Open open;
        open.path = path_.string();
        open.mode = {true, true, true, false, false, 0666};
        const Opened opened = line.call<Opened>(Type::open, 0, open);
        if (!opened.status.ok()) return opened.status.text;
        const auto attached = line.call<Status>(Type::attach, opened.session, Attach{{Parent{true, {}, 0, {}}}});
        if (!attached.ok()) return attached.text;
        Rank rank(line, opened.session, 0);
        rank.write(0, std::vector<std::byte>(1000, std::byte{7}));
        const Drained drained = rank.drained(rank.ask_drain(1, Purpose::close));
        rank.line().answer(rank.ask_leave());
        line.close();
        return drained.status.text;
    } catch (const std::exception& error) {
        return error.what();
    }
};

TEST_F(FewProcesses, TheReasonIsToldOrTheFileIsWhole) {
    if (geteuid() != 0) GTEST_SKIP() << "to become a user without other processes needs root";
    const fs::path program = directory_ / "kumihimo-iod";
    fs::copy_file(std::getenv("KUMIHIMO_IOD"), program);
    fs::permissions(program, static_cast<fs::perms>(0755));
    fs::permissions(directory_, static_cast<fs::perms>(0777));
    for (rlim_t processes = 1; processes <= 6; ++processes) {
        fs::remove(path_);
        const std::string wrong = with_limit(processes, [&] { return write_through(program.string()); });
        if (processes <= 2) {
            EXPECT_FALSE(wrong.empty()) << processes;
        }
        if (processes >= 5) {
            EXPECT_EQ(wrong, "") << processes;
        }
        if (wrong.empty()) {
            EXPECT_EQ(content(), std::vector<std::byte>(1000, std::byte{7})) << processes;
            continue;
        }
        EXPECT_NE(wrong.find("Resource temporarily unavailable (EAGAIN)"), std::string::npos) << processes << ": " << wrong;
        EXPECT_NE(wrong.find("ulimit -u"), std::string::npos) << processes << ": " << wrong;
    }
}

}  // namespace
}  // namespace kumihimo::iod::test
