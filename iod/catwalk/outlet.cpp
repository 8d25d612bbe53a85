#include "iod/catwalk/outlet.hpp"

#include <utility>

namespace kumihimo::iod::process {

namespace {

constexpr std::size_t most_queued = 512 << 10;  // bytes for the parent that wait in this process: two batches

}  // namespace

void Outlet::lead_to(std::shared_ptr<Connection> parent, std::uint32_t session) {
    parent_ = std::move(parent);
    parent_session_ = session;
}

bool Outlet::has_room() const {
    return server_ ? server_->has_room() : parent_ && parent_->queued_bytes() < most_queued;
}

// ---- questions ----

void Outlet::ask(Ask&& ask) {
    if (server_) return server_->ask(std::move(ask));
    const Read* const read = std::get_if<Read>(&ask.what);
    under_way_[++last_request_] = {type_of(ask), read != nullptr ? read->bytes : 0, std::move(ask.answered)};
    parent_->send({type_of(ask), 0, parent_session_, 0, last_request_, 0}, encode_ask(ask));
}

void Outlet::answered(Arrival&& arrival) {
    auto node = under_way_.extract(arrival.header.request);
    if (node.empty() || !arrival.header.answer()) throw ProtocolError("an answer that nobody asked for");
    UnderWay& question = node.mapped();
    Reply reply;
    try {
        reply = decode_reply(question.type, arrival.payload);
        if (reply.bytes.size() > question.most_bytes) throw ProtocolError("more bytes than were asked for");
    } catch (const std::exception&) {
        under_way_.insert(std::move(node));  // whoever waits is told with all others
        throw;
    }
    question.answered(std::move(reply));
}

void Outlet::fail(const Status& why) {
    if (server_) server_->fail(why);
    for (const auto& [request, entry] : std::exchange(under_way_, {})) entry.answered({why});
}

// ---- the parent ----

void Outlet::tell(const Status& failure) {
    if (parent_ && !left_) parent_->send({Type::failure, 0, parent_session_, 0, 0, 0}, encode(failure));
}

void Outlet::leave() {
    if (!parent_ || std::exchange(left_, true)) return;
    parent_->send({Type::leave, 0, parent_session_, 0, 0, 0}, encode(Leave{}));
    parent_->finish();
}

void Outlet::finish_unless_stuck(std::chrono::seconds patience) {
    if (parent_) parent_->finish_unless_stuck(patience);
}

void Outlet::cut() {
    if (parent_) parent_->close();
}

void Outlet::watch() {
    const bool busy = parent_ && parent_->queued_bytes() > 0;
    if (busy == busy_since_.has_value()) return;
    const auto now = std::chrono::steady_clock::now();
    if (!busy) link_seconds_ += std::chrono::duration<double>(now - *busy_since_).count();
    busy_since_ = busy ? std::optional(now) : std::nullopt;
}

}  // namespace kumihimo::iod::process
