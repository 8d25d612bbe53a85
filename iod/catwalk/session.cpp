#include "iod/catwalk/session.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/format.hpp"
#include "iod/protocol/limits.hpp"

namespace kumihimo::iod::process {

namespace {

// Answers a rank as long as its connection is there.
Answered to_rank(Connection& connection, const FrameHeader& header) {
    return [weak = connection.weak_from_this(), header](Reply&& reply) {
        if (const auto open = weak.lock()) {
            Payload head = encode_reply(header.type, reply);
            open->answer(header, std::move(head), std::move(reply.bytes));
        }
    };
}

}  // namespace

// ---- ranks ----

RankPort* Session::port_of(const Connection& connection) {
    for (const auto& port : ports_)
        if (&port->connection() == &connection) return port.get();
    return nullptr;
}

// Ranks come as soon as they know of the file. What became of attaching it is told to them all.
void Session::join(Connection& connection, Arrival&& arrival) {
    if (!is_attached_) {
        if (early_joins_.size() == open_.ranks_here) throw ProtocolError("more ranks than the file has here");
        early_joins_.emplace_back(connection.shared_from_this(), std::move(arrival));
        return;
    }
    const FrameHeader header = arrival.header;
    Status status = attach_status_;
    status.keep_first(failed_);
    try {
        const Join join = decode<Join>(arrival.payload);
        if (port_of(connection) != nullptr) throw ProtocolError("a rank that joins twice");
        if (ports_.size() + left_ >= open_.ranks_here) throw ProtocolError("more ranks than the file has here");
        if (status.ok())
            ports_.push_back(
                std::make_unique<RankPort>(host_.loop(), join.rank, connection.shared_from_this(), std::move(arrival)));
        connection.name = fmt::format("rank {}", join.rank);
    } catch (const base::Error& error) {
        status = {Code::out_of_memory, error.what(), ""};
    } catch (const ProtocolError& error) {
        status = {Code::bad_request, error.what(), ""};
    } catch (const std::exception& error) {
        status = Status::of_exception(error, fmt::format("a rank cannot join {}", here()));
    }
    connection.answer(header, encode(status));
    if (!attach_status_.ok() && ++refused_ == open_.ranks_here) abandoned_ = true;  // all have been told
}

void Session::arrived(Connection& connection, Arrival&& arrival) {
    const bool agents = connection.role.kind == Role::child || connection.role.kind == Role::parent;
    if (agents && arrival.header.type == Type::failure) return fail(decode<Status>(arrival.payload));
    if (connection.role.kind == Role::child)
        return lane_of(connection.role.server).children().arrived(connection, std::move(arrival));
    if (connection.role.kind == Role::parent) return lane_of(connection.role.server).from_parent(std::move(arrival));
    switch (arrival.header.type) {
        case Type::attach:
            return attach(connection, arrival);
        case Type::join:
            return join(connection, std::move(arrival));
        case Type::counters:
            return send_counters(connection, arrival.header);
        default:
            return from_rank(connection, std::move(arrival));
    }
}

Lane& Session::lane_of(std::uint32_t server) {
    if (server >= lanes_.size()) throw ProtocolError("a server that the file does not have");
    return *lanes_[server];
}

void Session::from_rank(Connection& connection, Arrival&& arrival) {
    RankPort* const port = port_of(connection);
    if (port != nullptr) {
        if (port->requests.size() == limit::waiting_requests)
            throw ProtocolError("more requests than an agent keeps for a rank");
        port->requests.push_back(std::move(arrival));
        serve(*port);
        return;
    }
    if (&connection != opener_.get() || arrival.header.type != Type::leave)
        throw ProtocolError("a request of who did not join");
    abandoned_ = true;  // opened here, but not everywhere
    connection.answer(arrival.header, encode(Status{}));
}

// The requests of a rank, in order, as far as its ring is consumed; whether there were any: lanes have work then.
bool Session::serve(RankPort& port) {
    bool moved = false;
    while (!port.requests.empty() && serve_one(port, port.requests.front())) {
        moved = true;
        if (port.requests.front().header.type == Type::leave) {
            leave(port);
            break;
        }
        port.requests.pop_front();
    }
    return moved;
}

bool Session::serve_one(RankPort& port, const Arrival& arrival) {
    const auto answered = to_rank(port.connection(), arrival.header);
    const bool free = !failed_.ok();  // nothing is waited for any more
    switch (arrival.header.type) {
        case Type::leave: {
            if (!free && !port.reached(decode<Leave>(arrival.payload).ring_position)) return false;
            port.connection().answer(arrival.header, encode(failed_));
            return true;
        }
        case Type::drain: {
            const Drain wanted = decode<Drain>(arrival.payload);
            drain(port, wanted, answered);
            return true;
        }
        case Type::read: {
            const Read read = decode<Read>(arrival.payload);
            if (!free && (!port.reached(read.ring_position) || !port.may_read())) return false;
            lane_of(read.server).ask({read, [answered, counted = port.count_read()](Reply&& reply) {
                                          answered(std::move(reply));
                                      }});
            return true;
        }
        case Type::call: {
            const Call call = decode<Call>(arrival.payload);
            if (call.function == Function::pass_by && !lane_of(call.server).server())
                throw ProtocolError("a rank that writes to a file of another host");
            if (!free && !port.reached(call.ring_position)) return false;
            lane_of(call.server).ask({call, answered});
            return true;
        }
        default:
            throw ProtocolError("a message that no rank sends");
    }
}

void Session::leave(RankPort& port) {
    ++left_;
    remove(port);
}

void Session::remove(const RankPort& port) {
    if (drain_) std::erase_if(drain_->targets, [&](const auto& target) { return target.first == &port; });
    std::erase_if(ports_, [&](const auto& held) { return held.get() == &port; });
}

void Session::send_counters(Connection& connection, const FrameHeader& request) {
    Counters sum{{"ring seconds", ring_seconds_}};
    for (const auto& lane : lanes_) {
        Counters counters;
        lane->count(counters);
        for (const auto& [name, value] : counters) {
            const auto found = std::ranges::find(sum, name, &Counters::value_type::first);
            if (found == sum.end())
                sum.emplace_back(name, value);
            else
                found->second += value;
        }
    }
    connection.answer(request, encode(sum));
}

// ---- drains ----

// All ranks of the host ask, each for what its ring holds then: it begins with the last of them. Where there is no other host
// all records meet in one stage, in the order in which they leave their rings: to order them takes no way to the file.
void Session::drain(RankPort& port, const Drain& drain, Answered answered) {
    if (!failed_.ok()) return answered({failed_});
    if (!drain_) {
        drain_ = AllDrain{};
        drain_->drain = drain;
    }
    const bool again = std::ranges::find(drain_->targets, &port, &AllDrain::Target::first) != drain_->targets.end();
    if (again || drain_->drain.epoch != drain.epoch) throw ProtocolError("a drain before the one before it is done");
    drain_->drain.status.keep_first(drain.status);
    drain_->targets.emplace_back(&port, port.written());
    drain_->waiting.push_back(std::move(answered));
}

bool Session::work_on_drain() {
    if (!drain_ || drain_->passed || drain_->targets.size() < open_.ranks_here) return false;
    for (const auto& [port, position] : drain_->targets)
        if (!port->reached(position)) return false;
    if (drain_->drain.purpose == Purpose::order && open_.hosts == 1) {
        answer_drain({{}, lanes_.front()->highest_end()});
        return true;
    }
    drain_->passed = true;
    drain_->lanes_left = lanes_.size();
    drain_->replies.resize(lanes_.size());
    const Drain drain = drain_->drain;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
        lanes_[lane]->drain(drain, [this, lane](Reply&& reply) { lane_drained(lane, std::move(reply)); });
    return true;
}

// Of several servers' failures that of the lowest is told, on all hosts the same.
void Session::lane_drained(std::size_t lane, Reply&& reply) {
    if (!drain_) return;
    drain_->replies[lane] = std::move(reply);
    if (--drain_->lanes_left > 0) return;
    for (const Reply& one : drain_->replies) {
        drain_->all.status.keep_first(one.status);
        drain_->all.value = std::max(drain_->all.value, one.value);
    }
    settle();
}

// All servers are done, so those of this host may say that the file is complete; before the ranks are told so.
void Session::settle() {
    if (drain_->all.status.ok() && makes_durable(drain_->drain.purpose) && open_.mode.write)
        for (const auto& lane : lanes_)
            if (lane->server()) ++drain_->lanes_left;
    if (drain_->lanes_left == 0) return finish_drain();
    for (const auto& lane : lanes_)
        if (lane->server())
            lane->server()->settle([this](Reply&& reply) {
                if (!drain_) return;
                drain_->all.status.keep_first(reply.status);
                if (--drain_->lanes_left == 0) finish_drain();
            });
}

void Session::finish_drain() {
    const Reply all = std::move(drain_->all);
    answer_drain(all);
}

void Session::answer_drain(const Reply& reply) {
    const AllDrain done = std::move(*drain_);
    drain_.reset();
    for (const auto& port : ports_) port->drained();
    for (const Answered& answered : done.waiting) answered(Reply(reply));
}

// ---- all together ----

bool Session::work() {
    bool moved = false;
    guarded([&] {
        for (const auto& lane : lanes_) moved = lane->work() || moved;
        moved = empty_rings() || moved;
        for (std::size_t i = ports_.size(); i-- > 0;) moved = serve(*ports_[i]) || moved;  // a port that leaves is gone
        moved = work_on_drain() || moved;
        if (left_ >= open_.ranks_here) leave_parents();
        if (!broken_.ok()) give_up({broken_.code, broken_.text + " " + here(), broken_.errno_name});
    });
    return moved;
}

bool Session::sleep() {
    bool quiet = true;
    for (const auto& port : ports_) quiet = port->sleep(is_asked_for(*port)) && quiet;
    return quiet;
}

void Session::wake() {
    for (const auto& port : ports_) port->wake();
}

// ---- failures and the end ----

// What goes wrong in a step is this file's failure, and no other's. Where not even that can be told, for want of memory, those
// who are connected learn it by the end of their connections.
void Session::guarded(const std::function<void()>& step) try {
    try {
        step();
    } catch (const std::exception& error) {
        give_up(Status::of_exception(error, fmt::format("the agent {} gave up the file", here())));
    }
} catch (const std::exception&) {
    cut();
}

// Before the file is attached nobody has joined who could be told.
void Session::give_up(const Status& why) {
    if (is_attached_) return fail(why);
    failed_.keep_first(why);
    opener_->refuse(why);
    cut();
}

void Session::cut() {
    failed_.keep_first({Code::out_of_memory, "no memory", "ENOMEM"});
    abandoned_ = opener_gone_ = true;
    drain_.reset();
    for (const auto& port : ports_) port->connection().close();
    ports_.clear();
    for (const auto& [connection, join] : std::exchange(early_joins_, {})) connection->close();
    for (const auto& child : early_children_) child->close();
    for (const auto& lane : lanes_) lane->cut();
    if (!is_attached_) opener_->finish();
}

// Nobody waits any longer, here and elsewhere: all get this failure, and what still comes is dropped.
void Session::fail(const Status& why) {
    if (!failed_.ok()) return;
    failed_ = why;
    for (const auto& lane : lanes_) lane->tell_neighbours(why);
    for (const auto& port : ports_) port->connection().send({Type::failure, 0, number_, 0, 0, 0}, encode(why));
    for (const auto& lane : lanes_) lane->fail(why);
    if (drain_) answer_drain({why});
}

void Session::ended(Connection& connection, const Status& why) {
    guarded([&] { lost(connection, why); });
}

void Session::lost(Connection& connection, const Status& why) {
    if (connection.role.kind == Role::child && connection.role.session == number_) {
        for (const auto& lane : lanes_)
            if (lane->children().lost(connection)) fail({Code::lost_process, fmt::format("{} ({})", why.text, here()), ""});
        return;
    }
    if (connection.role.kind == Role::parent && connection.role.session == number_)
        return fail({Code::lost_process, fmt::format("{} ({})", why.text, here()), ""});
    if (&connection == opener_.get()) opener_gone_ = true;
    std::erase_if(early_joins_, [&](const auto& early) { return early.first.get() == &connection; });
    if (RankPort* const port = port_of(connection)) {
        remove(*port);
        ++left_;
        fail({Code::lost_process, fmt::format("{} before it closed the file ({})", why.text, here()), ""});
    }
}

bool Session::over() const {
    if (left_ < open_.ranks_here) return (abandoned_ || opener_gone_) && ports_.empty();
    return !failed_.ok() || std::ranges::all_of(lanes_, [](const auto& lane) { return lane->children().all_left(); });
}

// Lane by lane: with several servers two hosts may be each other's parents.
void Session::leave_parents() {
    for (const auto& lane : lanes_)
        if (lane->children().all_left()) lane->leave_parent();
}

void Session::end() {
    for (const auto& [connection, join] : early_joins_)
        connection->answer(join.header, encode(Status{Code::lost_process, "the rank that opened the file gave it up", ""}));
    for (const auto& lane : lanes_) lane->leave_all();
}

}  // namespace kumihimo::iod::process
