#include "iod/files/claims.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "iod/protocol/digits.hpp"

namespace kumihimo::iod::process {

namespace {

constexpr int callers = 16;  // they look who has the name, and go

struct SocketName {
    sockaddr_un address{};
    socklen_t length;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

SocketName socket_of(const std::string& digits_of_way) {
    const std::string text = ("kumihimo-way-" + digits_of_way).substr(0, sizeof(sockaddr_un::sun_path) - 1);
    SocketName name;
    name.address.sun_family = AF_UNIX;
    std::memcpy(name.address.sun_path + 1, text.data(), text.size());  // a zero in front: abstract
    name.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    return name;
}

base::Descriptor unix_socket() {
    return base::Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

Status failure(int number) {
    return Status::of_errno(number, "cannot make sure that the I/O process of the connection before has ended");
}

}  // namespace

Status Claims::take(const Way& way, bool& taken) {
    taken = mine_.contains(way);
    if (taken || is_ending(way)) return {};
    const SocketName name = socket_of(digits_of(way));
    base::Descriptor socket = unix_socket();
    if (!socket) return failure(errno);
    if (::bind(socket.get(), name.get(), name.length) == 0) {
        if (::listen(socket.get(), callers) != 0) return failure(errno);
        if (mine_.empty()) own_ = way;
        mine_[way] = std::move(socket);
        taken = true;
        return {};
    }
    if (errno != EADDRINUSE) return failure(errno);
    return end(way);
}

// -1 with errno: it has just ended, or has not begun. 0: this process cannot see it.
pid_t Claims::holder_of(const Way& way) {
    const SocketName name = socket_of(digits_of(way));
    const base::Descriptor socket = unix_socket();
    if (!socket || ::connect(socket.get(), name.get(), name.length) != 0) return -1;
    ucred who{};
    socklen_t length = sizeof who;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &length) != 0) return -1;
    return who.uid == ::geteuid() ? who.pid : 0;
}

// Nobody calls who only wants to know: callers that were not met would fill its queue.
bool Claims::is_held(const std::string& digits_of_way) {
    const SocketName name = socket_of(digits_of_way);
    const base::Descriptor socket = unix_socket();
    return !socket || ::bind(socket.get(), name.get(), name.length) != 0;
}

// Numbers of processes are used again: whoever has the name before and after the descriptor was made is who it is of.
Status Claims::end(const Way& way) {
    const pid_t holder = holder_of(way);
    if (holder < 0) return errno == ECONNREFUSED || errno == EAGAIN ? Status{} : failure(errno);
    if (holder == 0) return failure(EPERM);
    base::Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, holder, 0)));
    if (!process) return errno == ESRCH ? Status{} : failure(errno);
    if (holder_of(way) != holder) return {};
    if (::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) != 0 && errno != ESRCH) return failure(errno);
    ending_[way] = std::move(process);
    return {};
}

// A process gives its sockets back some time before it is gone.
bool Claims::is_ending(const Way& way) {
    const auto process = ending_.find(way);
    if (process == ending_.end()) return false;
    pollfd end{process->second.get(), POLLIN, 0};
    if (::poll(&end, 1, 0) == 0) return true;
    ending_.erase(process);
    return false;
}

}  // namespace kumihimo::iod::process
