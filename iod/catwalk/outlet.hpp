// The way out of a lane: to the server, if the file is written at this host, else to the parent. Records go over it in batches,
// and questions behind them; the answers of a parent find who asked.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "iod/catwalk/ask.hpp"
#include "iod/catwalk/server.hpp"
#include "iod/link/connection.hpp"
#include "iod/protocol/bulk.hpp"
#include "iod/records/batch.hpp"
#include "iod/records/stage.hpp"

namespace kumihimo::iod::process {

class Outlet {
public:
    Outlet(std::uint32_t server_number, const StageOptions& stage)
        : server_number_(server_number), batch_bytes_(stage.batch_bytes + stage.largest_record) {}

    // One of them, before anything is sent.
    void lead_to(std::unique_ptr<Server> server) { server_ = std::move(server); }
    void lead_to(std::shared_ptr<Connection> parent, std::uint32_t session);
    Server* server() const { return server_.get(); }
    bool is_far() const { return !server_ || server_->is_far(); }  // what is read comes over a network

    bool has_room() const;
    // About a batch, by next(sink): a server takes the records as they are, a link in a frame. False: next had nothing.
    template <typename Next>
    bool send(Next&& next);
    void ask(Ask&& ask);
    void answered(Arrival&& arrival);  // by the parent. Throws ProtocolError
    void fail(const Status& why);      // whoever waits for an answer is told

    void tell(const Status& failure);
    void leave();  // the parent: nothing more comes
    void finish_unless_stuck(std::chrono::seconds patience);
    void cut();

    void watch();  // counts how long the link works: as long as something waits to be sent
    std::uint64_t sent_bytes() const { return sent_bytes_; }
    double link_seconds() const { return link_seconds_; }

private:
    struct UnderWay {  // a question at the parent
        Type type;
        std::size_t most_bytes;  // of its answer
        Answered answered;
    };

    std::uint32_t server_number_;
    std::size_t batch_bytes_;
    std::unique_ptr<Server> server_;
    std::shared_ptr<Connection> parent_;
    std::uint32_t parent_session_ = 0;
    bool left_ = false;
    std::map<std::uint64_t, UnderWay> under_way_;
    std::uint64_t last_request_ = 0, sent_bytes_ = 0;
    double link_seconds_ = 0;
    std::optional<std::chrono::steady_clock::time_point> busy_since_;
};

template <typename Next>
bool Outlet::send(Next&& next) {
    if (server_) return next(server_->records());
    Batch batch;
    batch.bytes.reserve(batch_bytes_);
    if (!next(batch)) return false;
    sent_bytes_ += batch.bytes.size();
    parent_->send({Type::records, 0, parent_session_, 0, 0, 0}, encode_records_head(server_number_, batch.places),
                  std::move(batch.bytes));
    return true;
}

}  // namespace kumihimo::iod::process
