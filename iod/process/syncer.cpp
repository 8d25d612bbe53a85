#include "iod/process/syncer.hpp"

namespace kumihimo::iod::process {

Syncer::~Syncer() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void Syncer::written(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ < interval_bytes) return;
    bytes_ = 0;
    {
        const std::lock_guard lock(mutex_);
        wanted_ = true;
    }
    changed_.notify_one();
}

Status Syncer::result() {
    const std::lock_guard lock(mutex_);
    return result_;
}

// A failure of the device is told to one sync only, whichever comes first, so it is kept.
void Syncer::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return wanted_ || ends_; });
        if (ends_) return;
        wanted_ = false;
        lock.unlock();
        const Status status = file_.sync();
        lock.lock();
        result_.keep_first(status);
    }
}

}  // namespace kumihimo::iod::process
