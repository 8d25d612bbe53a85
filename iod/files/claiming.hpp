// A way from another machine becomes this process's: answered when no other one can write for it any more.
#pragma once

#include "iod/files/again.hpp"
#include "iod/files/claims.hpp"
#include "iod/link/service.hpp"

namespace kumihimo::iod::process {

class Claiming : public Service, public std::enable_shared_from_this<Claiming> {
public:
    Claiming(Host& host, std::shared_ptr<Claims> claims, const FileClaim& asked, std::shared_ptr<Connection> by);

    void begin(const FrameHeader& request) override;
    void arrived(Connection&, Arrival&&) override { throw ProtocolError("a request about a file that is not open"); }
    void ended(Connection&, const Status&) override {}
    bool work() override { return false; }
    bool over() const override { return answered_ || !by_->is_open(); }
    void end() override {}

private:
    bool settled(const FrameHeader& request);

    std::shared_ptr<Claims> claims_;
    Way way_;
    std::chrono::steady_clock::time_point give_up_at_;
    std::shared_ptr<Connection> by_;
    Again again_;
    bool answered_ = false;
};

}  // namespace kumihimo::iod::process
