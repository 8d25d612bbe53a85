#include "base/ending.hpp"

#include <pthread.h>
#include <unistd.h>

#include <csignal>

namespace kumihimo::base {

namespace {

volatile std::sig_atomic_t late_status = 1;

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

}  // namespace kumihimo::base
