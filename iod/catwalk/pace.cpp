#include "iod/catwalk/pace.hpp"

namespace kumihimo::iod::process {

std::uint64_t Pace::limit(bool crowded, std::uint64_t least, std::uint64_t all, std::uint64_t left, Clock::time_point now) {
    if (!crowded || all < resumes_at_) {
        since_.reset();
        return no_limit;
    }
    if (!since_ || left != left_) {
        since_ = now;
        left_ = left;
    }
    if (now - *since_ < patience) return least + lead_;
    resumes_at_ = all + pause_;
    pause_ *= 2;
    since_.reset();
    return no_limit;
}

}  // namespace kumihimo::iod::process
