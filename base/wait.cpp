#include "base/wait.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/progress.hpp"
#include "base/settings.hpp"

namespace kumihimo::base {

namespace {

constexpr long polls_before_yielding = 2000;    // a few microseconds: the time of a message inside a machine
constexpr long polls_of_far_waits = 16;         // to yield takes as long as some polls, or as a short message by MPI
constexpr long yields_before_sleeping = 20000;  // tens of milliseconds if nobody else wants the processor
constexpr long yields_of_long_waits = 20;
long spins = 0;  // until set_waiting knows better, be polite
bool shared_processors = false;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

int processors_available() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

int processors_online() {
    static const int online = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));  // it reads a file
    return online;
}

bool processors_are_shared() {
    return shared_processors;
}

void set_waiting(int nodes_here, int processors) {
    shared_processors = nodes_here > processors;
    if (setting("KUMIHIMO_SPIN") == "auto")
        spins = nodes_here > processors ? 0 : polls_before_yielding;
    else
        spins = static_cast<long>(setting_number("KUMIHIMO_SPIN"));
}

Waiting::Waiting(Expected expected)
    : spins_(expected == brief ? spins
             : expected == far ? std::min(spins, polls_of_far_waits)
                               : 0),
      yields_(expected == long_ ? yields_of_long_waits : yields_before_sleeping) {}

void Waiting::step() {
    progress();
    polls_++;
    if (polls_ <= spins_) return pause();
    if (polls_ <= spins_ + yields_) {
        sched_yield();
        return;
    }
    const long long slept = polls_ - spins_ - yields_;
    const timespec duration = {0, static_cast<long>(std::min(1000LL, 20 + slept)) * 1000};
    nanosleep(&duration, nullptr);
}

}  // namespace kumihimo::base
