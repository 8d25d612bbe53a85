#include "iod/files/worker.hpp"

#include <utility>

namespace kumihimo::iod::process {

Worker::Worker(std::function<void()> freed) : freed_(std::move(freed)), thread_([this] { run(); }) {}

Worker::~Worker() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void Worker::add(std::function<void()> job, std::size_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back({std::move(job), bytes});
        bytes_ += bytes;
    }
    changed_.notify_one();
}

bool Worker::next(Job& job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
    if (ends_) return false;
    job = std::move(jobs_.front());
    jobs_.pop_front();
    return true;
}

void Worker::run() {
    for (Job job; next(job);) {
        job.run();
        job.run = nullptr;  // its memory goes before it is counted as free
        bytes_ -= job.bytes;
        if (job.bytes > 0) freed_();
    }
}

}  // namespace kumihimo::iod::process
