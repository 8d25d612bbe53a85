// Makes what was written durable while the next bytes are written (the paper on Catwalk, section 4: a second thread calls
// fdatasync for every 64 MiB), so that close finds little left to do.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "iod/files/file.hpp"

namespace kumihimo::iod::process {

class Syncer {
public:
    static constexpr std::size_t interval_bytes = std::size_t{64} << 20;

    explicit Syncer(File& file);  // where no thread can be started all is left for the sync at the end
    ~Syncer();                    // after the sync under way
    Syncer(const Syncer&) = delete;

    void written(std::size_t bytes);  // a sync begins when enough has come together
    Status result();                  // the first failure of all syncs so far, once none is under way

private:
    void run();

    File& file_;
    std::size_t bytes_ = 0;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool wanted_ = false, syncing_ = false, ends_ = false;
    Status result_;
    std::thread thread_;
};

}  // namespace kumihimo::iod::process
