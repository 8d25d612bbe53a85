// A thread that helps others in the place of one that computes, and so polls nothing (progress.hpp). It looks every 10 ms,
// which costs nothing to speak of; more often while it finds something to do.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace kumihimo::base {

class Helper {
public:
    // poll: whether there was anything to do; called by the thread, which ends if it throws. Must not wait.
    explicit Helper(std::function<bool()> poll);
    ~Helper();  // waits for the thread
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

private:
    void run();

    std::function<bool()> poll_;
    std::mutex ending_;
    std::condition_variable ended_;
    bool ends_ = false;
    std::thread thread_;
};

}  // namespace kumihimo::base
