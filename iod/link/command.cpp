#include "iod/link/command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/format.hpp"
#include "iod/link/spawning.hpp"

namespace kumihimo::iod::link {

namespace {

constexpr std::size_t most_complaint = 1000;
constexpr std::chrono::milliseconds farewell{1000}, look_again{5};

// This process holds back signals that are its other threads' business; a program must not begin like that.
class Attributes {
public:
    Attributes() {
        posix_spawnattr_init(&attributes_);
        sigset_t signals;
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&attributes_, &signals);
        sigaddset(&signals, SIGPIPE);
        sigaddset(&signals, SIGXFSZ);
        posix_spawnattr_setsigdefault(&attributes_, &signals);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    Attributes(const Attributes&) = delete;
    ~Attributes() { posix_spawnattr_destroy(&attributes_); }
    const posix_spawnattr_t* get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_;
};

base::Descriptor away_from_standard(base::Descriptor descriptor) {
    if (descriptor.get() > STDERR_FILENO) return descriptor;
    return base::Descriptor(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

}  // namespace

// What it complains about goes to memory: nobody has to read while it runs, and it never waits for a reader.
Command::Command(std::vector<std::string> words) {
    Pair pair = socket_pair();
    pair.theirs = away_from_standard(std::move(pair.theirs));
    errors_ = away_from_standard(base::Descriptor(memfd_create("kumihimo-complaints", MFD_CLOEXEC)));
    if (!pair.theirs || !errors_) cannot(fmt::format("cannot start '{}'", words.front()), errno);
    fcntl(errors_.get(), F_SETFL, O_APPEND);
    Actions actions;
    actions.duplicate(pair.theirs.get(), STDIN_FILENO);
    actions.duplicate(pair.theirs.get(), STDOUT_FILENO);
    actions.duplicate(errors_.get(), STDERR_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const Attributes attributes;
    const int error =
        posix_spawnp(&process_, arguments.front(), actions.get(), attributes.get(), arguments.data(), environment().data());
    if (error != 0) cannot(fmt::format("cannot start '{}'", words.front()), error);
    socket_ = std::move(pair.ours);
}

Command::~Command() {
    socket_ = {};
    const auto deadline = std::chrono::steady_clock::now() + farewell;
    while (waitpid(process_, nullptr, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) {
            kill(process_, SIGKILL);
            while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
            }
            return;
        }
        std::this_thread::sleep_for(look_again);
    }
}

std::string Command::complaint() const {
    struct stat status {};
    if (fstat(errors_.get(), &status) != 0) return {};
    const auto bytes = static_cast<std::size_t>(std::min<off_t>(status.st_size, most_complaint));
    std::string text(bytes, '\0');
    const ssize_t got = pread(errors_.get(), text.data(), bytes, status.st_size - static_cast<off_t>(bytes));
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    std::erase(text, '\r');
    while (!text.empty() && text.back() == '\n') text.pop_back();
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.replace(at, 1, "; ");
    return text;
}

}  // namespace kumihimo::iod::link
