#include "iod/catwalk/syncer.hpp"

#include <exception>
#include <system_error>

namespace kumihimo::iod::process {

Syncer::Syncer(File& file) : file_(file) {
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
    }
}

Syncer::~Syncer() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Syncer::written(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ < interval_bytes) return;
    bytes_ = 0;
    {
        const std::lock_guard lock(mutex_);
        wanted_ = true;
    }
    changed_.notify_all();
}

// A failure of the device is told to one sync only, whichever comes first: one that is under way may have taken it away from
// the caller's, and has not told it yet.
Status Syncer::result() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !syncing_; });
    return result_;
}

void Syncer::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return wanted_ || ends_; });
        if (ends_) return;
        wanted_ = false;
        syncing_ = true;
        lock.unlock();
        Status status;
        try {
            status = file_.sync();
        } catch (const std::exception&) {  // there was no memory to say what failed
            status = {Code::io_error, "", "EIO"};
        }
        lock.lock();
        syncing_ = false;
        result_.keep_first(status);
        changed_.notify_all();
    }
}

}  // namespace kumihimo::iod::process
