#include "iod/files/claiming.hpp"

namespace kumihimo::iod::process {

Claiming::Claiming(Host& host, std::shared_ptr<Claims> claims, const FileClaim& asked, std::shared_ptr<Connection> by)
    : claims_(std::move(claims)),
      way_(asked.way),
      give_up_at_(std::chrono::steady_clock::now() + std::chrono::seconds(asked.patience)),
      by_(std::move(by)),
      again_(host.loop()) {}

void Claiming::begin(const FrameHeader& request) {
    again_.look([weak = weak_from_this(), request] {
        const auto self = weak.lock();
        return !self || self->over() || self->settled(request);
    });
}

// One that waits for its disk does not end before.
bool Claiming::settled(const FrameHeader& request) {
    Status status = claims_->take(way_, answered_);
    if (status.ok() && !answered_ && std::chrono::steady_clock::now() > give_up_at_)
        status = {Code::timed_out, "the I/O process of the connection before does not end: its disk may hang", ""};
    answered_ = answered_ || !status.ok();
    if (answered_) by_->answer(request, encode(status));
    return answered_;
}

}  // namespace kumihimo::iod::process
