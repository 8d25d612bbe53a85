#include "iod/link/logins.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "base/format.hpp"
#include "iod/link/command.hpp"
#include "iod/link/random_bytes.hpp"
#include "iod/protocol/digits.hpp"

namespace kumihimo::iod::link {

namespace {

constexpr int persist_seconds = 30;               // without a connection; then the login ends
constexpr std::size_t most_directory_bytes = 20;  // of the 107 that a socket's name may have, ssh needs most

std::string output_of(std::vector<std::string> words) {
    Command command(std::move(words));
    const base::Descriptor socket = command.take_socket();
    ::shutdown(socket.get(), SHUT_WR);
    std::string output;
    std::array<char, 4096> buffer;
    for (ssize_t got = 1; got > 0 || (got < 0 && errno == EINTR);) {
        got = ::read(socket.get(), buffer.data(), buffer.size());
        output.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
    return output;
}

// `ssh -G` says what its configuration comes to, in lines of a keyword and its value.
bool leaves_sharing_to_us(const std::vector<std::string>& command) {
    const auto options_end = std::ranges::find(command, "--");
    if (command.end() - options_end < 2) return false;
    std::vector<std::string> words(command.begin(), options_end);
    words.insert(words.end(), {"-G", "--", options_end[1]});
    std::istringstream lines(output_of(std::move(words)));
    bool is_ssh = false;
    for (std::string line; std::getline(lines, line);) {
        is_ssh = is_ssh || line.starts_with("hostname ");
        if (line.starts_with("controlpath ") && line != "controlpath none") return false;
    }
    return is_ssh;
}

bool looked_up(const std::vector<std::string>& command) {
    static std::mutex mutex;
    static std::map<std::vector<std::string>, bool> known;
    const std::lock_guard lock(mutex);
    const auto [entry, is_new] = known.try_emplace(command, false);
    if (is_new) entry->second = leaves_sharing_to_us(command);
    return entry->second;
}

// Where only this user makes and finds sockets; empty: there is no such place.
std::string directory_of_sockets() {
    const char* const said = std::getenv("XDG_RUNTIME_DIR");
    const std::string own = said != nullptr ? said : "";
    const bool takes_sockets = own.starts_with('/') && own.size() <= most_directory_bytes;
    const std::string directory = takes_sockets ? own + "/kumihimo" : fmt::format("/tmp/kumihimo-{}", ::geteuid());
    (void)::mkdir(directory.c_str(), 0700);
    struct stat status {};
    const bool ours = ::lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
                      (status.st_mode & 077) == 0;
    return ours ? directory : "";
}

}  // namespace

std::string logins_of_job(const std::vector<std::string>& command) try {
    static const std::string name = digits_of(process::random_name()).substr(0, 16);
    return looked_up(command) ? name : "";
} catch (const std::exception&) {  // then the connection itself will say what is wrong
    return {};
}

void share_login(std::vector<std::string>& command, const std::string& logins, std::size_t way, std::size_t connection) {
    const std::string directory = logins.empty() ? "" : directory_of_sockets();
    if (directory.empty()) return;
    const std::size_t login = connection / connections_of_a_login;
    const std::vector<std::string> options = {"-oControlMaster=auto", fmt::format("-oControlPersist={}", persist_seconds),
                                              fmt::format("-oControlPath={}/{}-{}-{}-%C", directory, logins, way, login)};
    command.insert(std::ranges::find(command, "--"), options.begin(), options.end());
}

}  // namespace kumihimo::iod::link
