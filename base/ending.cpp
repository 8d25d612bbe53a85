#include "base/ending.hpp"

#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <utility>

namespace kumihimo::base {

namespace {

volatile std::sig_atomic_t late_status = 1;

constexpr int most_waits = 2000;  // of a millisecond each, for a launcher that is slow
constexpr int more_waits = 50;    // until what it has read is on its way

void (*exit_handler)(int status) = nullptr;

void call_exit_handler(int status, void*) {
    if (auto* const handler = std::exchange(exit_handler, nullptr)) handler(status);
}

void wait_a_millisecond() {
    const timespec one = {0, 1000000};
    nanosleep(&one, nullptr);
}

// Only of a pipe is it known what its reader has left.
bool errors_are_unread() {
    struct stat kind;
    int bytes = 0;
    return fstat(STDERR_FILENO, &kind) == 0 && S_ISFIFO(kind.st_mode) && ioctl(STDERR_FILENO, FIONREAD, &bytes) == 0 &&
           bytes > 0;
}

}  // namespace

void end_within(unsigned seconds, int status) {
    late_status = status;
    std::signal(SIGALRM, [](int) { _exit(late_status); });
    sigset_t only_this;
    sigemptyset(&only_this);
    sigaddset(&only_this, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &only_this, nullptr);
    alarm(seconds);
}

void wait_until_errors_are_read() {
    for (int waits = 0; waits < most_waits && errors_are_unread(); ++waits) wait_a_millisecond();
    for (int waits = 0; waits < more_waits; ++waits) wait_a_millisecond();
}

void at_exit(void (*handler)(int status)) {
    exit_handler = handler;
    on_exit(call_exit_handler, nullptr);
}

void put_exit_first() {
    if (exit_handler != nullptr) on_exit(call_exit_handler, nullptr);
}

}  // namespace kumihimo::base
