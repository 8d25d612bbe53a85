// System calls that are made again when they are interrupted or told to try later (second law of I/O: no silent loss).
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <thread>

namespace kumihimo::base {

inline constexpr std::size_t most_bytes_of_a_call = std::size_t{1} << 30;  // Linux moves at most 2 GiB less a page
inline constexpr int most_repetitions = 200;  // of a call that says EINTR or EAGAIN: about a second
inline constexpr int most_barren_calls = 3;   // that moved nothing and gave no reason

inline void pause_before_repetition(int number) {
    std::this_thread::sleep_for(std::chrono::microseconds(std::min(10000, 20 << std::min(number, 9))));
}

// The result of a system call that returns -1 and sets errno; interrupted and refused calls are made again.
template <typename Call>
auto persistent(Call&& call) {
    for (int repetition = 0;; ++repetition) {
        errno = 0;
        const auto result = call();
        const bool again = result == -1 && (errno == EINTR || errno == EAGAIN);
        if (!again || repetition == most_repetitions) return result;
        const int number = errno;
        if (number == EAGAIN || repetition > 10) pause_before_repetition(repetition);
        errno = number;
    }
}

}  // namespace kumihimo::base
