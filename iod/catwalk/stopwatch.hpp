// Adds the time of a scope to a number of seconds, if the scope says that it did something.
#pragma once

#include <chrono>

namespace kumihimo::iod::process {

class Stopwatch {
public:
    explicit Stopwatch(double& seconds) : seconds_(seconds) {}
    ~Stopwatch() {
        if (counts_) seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    void counts() { counts_ = true; }

private:
    double& seconds_;
    bool counts_ = false;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace kumihimo::iod::process
