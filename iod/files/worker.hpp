// The thread that does a server's file operations, one after the other, so that the agent's loop never waits for a disk. What
// is put in first is done first: a read behind a write finds it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace kumihimo::iod::process {

class Worker {
public:
    // `freed`: called by the thread after each job that held memory.
    explicit Worker(std::function<void()> freed);
    ~Worker();  // finishes the job under way, drops the others
    Worker(const Worker&) = delete;

    // A job throws nothing.
    void add(std::function<void()> job, std::size_t bytes = 0);  // bytes: of memory that it holds until it is done
    std::size_t bytes() const { return bytes_; }                 // of all jobs that are not done

private:
    struct Job {
        std::function<void()> run;
        std::size_t bytes = 0;
    };
    void run();
    bool next(Job& job);

    std::function<void()> freed_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    bool ends_ = false;
    std::atomic<std::size_t> bytes_{0};
    std::thread thread_;
};

}  // namespace kumihimo::iod::process
