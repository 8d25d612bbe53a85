#include "iod/process/session.hpp"

#include <algorithm>
#include <ctime>

#include "base/error.hpp"
#include "base/format.hpp"
#include "iod/process/shares.hpp"
#include "iod/process/tokens.hpp"

namespace kumihimo::iod::process {

namespace {

constexpr std::uint64_t largest_read = 4 << 20;

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

Session::Session(Host& host, std::uint32_t number, const Open& open, std::shared_ptr<Connection> opener)
    : host_(host), number_(number), open_(open), opener_(std::move(opener)), children_missing_(open.children) {
    children_missing_.resize(open_.servers);
    if (open_.opened == decltype(open_.opened){}) {
        const Token random = random_token();
        std::copy_n(random.begin(), open_.opened.size(), open_.opened.begin());
    }
}

std::string Session::here() const {
    return fmt::format("on node {}", open_.node);
}

// ---- opening ----

std::unique_ptr<Server> Session::make_server(std::uint32_t number, OpenMode mode) const {
    ServerOptions options{open_.path, here(), number, mode, open_.options.durable, open_.options.accept_incomplete};
    options.fifo_bytes = Shares(open_, true).fifo;
    return std::make_unique<Server>(host_.loop(), std::move(options));
}

// Server 0 is node 0's, and the only one that may have to create the file.
void Session::begin(const FrameHeader& request) {
    if (open_.node != 0) return answer_open(request, {});
    first_server_ = make_server(0, open_.mode);
    first_server_->open([this, request](Reply&& reply) { answer_open(request, reply.status); });
}

void Session::answer_open(const FrameHeader& request, const Status& status) {
    Opened opened{status, number_, {}, host_.local_address(), {}, {}};
    if (status.ok()) {
        for (std::uint32_t rank = 1; rank < open_.ranks_here; ++rank)
            opened.rank_tokens.push_back(host_.token({Role::rank, number_, 0}));
        opened.child_tokens.resize(open_.servers);
        bool children = false;
        for (std::uint32_t server = 0; server < open_.servers; ++server)
            for (std::uint32_t child = 0; child < children_missing_[server]; ++child, children = true)
                opened.child_tokens[server].push_back(host_.token({Role::child, number_, server}));
        if (children) opened.addresses = host_.addresses(open_.one_machine);
    } else {
        abandoned_ = true;
    }
    opener_->answer(request, encode(opened));
}

LaneOptions Session::lane_options(std::uint32_t server, bool root) const {
    const Shares shares(open_, root);
    StageOptions stage;
    stage.method = open_.options.method;
    stage.merge = open_.options.merge;
    stage.largest_record = open_.options.largest_record;
    stage.sort_buffer = shares.stage;
    stage.batch_bytes = shares.batch;
    stage.way_out_is_a_network = !root;
    stage.children = static_cast<int>(open_.children.empty() ? 0 : open_.children[server]);
    return {server, stage, shares.staged, static_cast<Offset>(open_.options.stripe)};
}

std::unique_ptr<JournalFile> Session::make_journal(std::uint32_t server) {
    const Method method = open_.options.method;
    if (!open_.mode.write || (method != Method::journal && method != Method::automatic)) return nullptr;
    const JournalHeader header{open_.path, open_.opened, open_.node, server, static_cast<std::int64_t>(std::time(nullptr))};
    return std::make_unique<JournalFile>(open_.options.journal_directory, header, [this](const Status& why) { broken_ = why; });
}

void Session::make_lane(std::uint32_t server, bool root) {
    lanes_[server] = std::make_unique<Lane>(lane_options(server, root), make_journal(server));
    for (const auto& child : early_children_)
        if (child->role.server == server) lanes_[server]->add_child(child);
}

void Session::attach(Connection& connection, const Arrival& arrival) {
    const Attach attach = decode<Attach>(arrival.payload);
    if (!lanes_.empty() || attach.parents.size() != open_.servers) throw ProtocolError("an attach that does not fit its open");
    attaching_ = arrival.header;
    attaching_left_ = open_.servers;
    lanes_.resize(open_.servers);
    opener_ = connection.shared_from_this();
    const auto weak = weak_from_this();
    for (std::uint32_t server = 0; server < open_.servers; ++server) {
        const Parent& parent = attach.parents[server];
        make_lane(server, parent.server_here);
        if (parent.server_here && first_server_ && server == 0) {
            lanes_[server]->set_server(std::move(first_server_));
            attached({});
        } else if (parent.server_here) {
            OpenMode mode = open_.mode;
            mode.create = mode.exclusive = false;
            lanes_[server]->set_server(make_server(server, mode));
            lanes_[server]->server()->open([this](Reply&& reply) { attached(reply.status); });
        } else {
            const auto connected = [this, weak, server, session = parent.session](std::shared_ptr<Connection> to,
                                                                                  const Status& status) {
                if (weak.expired()) return;
                if (to) lanes_[server]->set_parent(std::move(to), session);
                attached(status);
            };
            host_.connect(parent, {Role::parent, number_, server}, fmt::format("the agent of node {}", open_.node), connected);
        }
    }
}

void Session::attached(const Status& status) {
    attach_status_.keep_first(status);
    if (--attaching_left_ > 0) return;
    opener_->answer(*attaching_, encode(attach_status_));
    abandoned_ = !attach_status_.ok();
}

bool Session::add_child(const std::shared_ptr<Connection>& child) {
    const std::uint32_t server = child->role.server;
    if (server >= children_missing_.size() || children_missing_[server] == 0) return false;
    --children_missing_[server];
    if (lanes_.empty())
        early_children_.push_back(child);  // other nodes may be faster than this one
    else
        lanes_[server]->add_child(child);
    return true;
}

// ---- ranks ----

RankPort* Session::port_of(const Connection& connection) {
    for (const auto& port : ports_)
        if (&port->connection() == &connection) return port.get();
    return nullptr;
}

void Session::join(Connection& connection, Arrival&& arrival) {
    const FrameHeader header = arrival.header;
    Status status = failed_;
    try {
        const Join join = decode<Join>(arrival.payload);
        if (port_of(connection) != nullptr || lanes_.empty()) throw ProtocolError("a rank that joins at the wrong time");
        if (status.ok())
            ports_.push_back(
                std::make_unique<RankPort>(host_.loop(), join.rank, connection.shared_from_this(), std::move(arrival)));
        connection.name = fmt::format("rank {}", join.rank);
    } catch (const base::Error& error) {
        status = {Code::out_of_memory, error.what(), ""};
    } catch (const std::exception& error) {
        status = {Code::bad_request, error.what(), ""};
    }
    connection.answer(header, encode(status));
}

void Session::arrived(Connection& connection, Arrival&& arrival) {
    if (arrival.header.type == Type::failure) return fail(decode<Status>(arrival.payload));
    if (connection.role.kind == Role::child) return lane_of(connection.role.server).from_child(connection, std::move(arrival));
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
    if (server >= lanes_.size() || !lanes_[server]) throw ProtocolError("a server that the file does not have");
    return *lanes_[server];
}

void Session::from_rank(Connection& connection, Arrival&& arrival) {
    RankPort* const port = port_of(connection);
    if (port != nullptr) {
        port->requests.push_back(std::move(arrival));
        return serve(*port);
    }
    if (&connection != opener_.get() || arrival.header.type != Type::leave)
        throw ProtocolError("a request of who did not join");
    abandoned_ = true;  // opened here, but not everywhere
    connection.answer(arrival.header, encode(Status{}));
}

// The requests of a rank, in order, as far as its ring is consumed.
void Session::serve(RankPort& port) {
    while (!port.requests.empty()) {
        if (!serve_one(port, port.requests.front())) return;
        if (port.requests.front().header.type == Type::leave) return leave(port);
        port.requests.pop_front();
    }
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
            drain(wanted, answered);
            return true;
        }
        case Type::read: {
            const Read read = decode<Read>(arrival.payload);
            if (read.bytes > largest_read || read.offset < 0) throw ProtocolError("a read of more than 4 MiB, or of nowhere");
            if (!free && (!port.reached(read.ring_position) || !port.may_read())) return false;
            lane_of(read.server).ask({read, [answered, counted = port.count_read()](Reply&& reply) {
                                          answered(std::move(reply));
                                      }});
            return true;
        }
        case Type::call: {
            const Call call = decode<Call>(arrival.payload);
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
    Counters sum;
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

// ---- records ----

// A beginning that belongs to one server and is no longer than a record may be.
std::size_t Session::put(Offset offset, std::span<const std::byte> data) {
    const auto stripe = static_cast<Offset>(open_.options.stripe);
    std::size_t bytes = std::min<std::size_t>(data.size(), open_.options.largest_record);
    std::size_t server = 0;
    if (open_.servers > 1) {
        bytes = static_cast<std::size_t>(std::min<Offset>(static_cast<Offset>(bytes), (offset / stripe + 1) * stripe - offset));
        server = static_cast<std::size_t>(offset / stripe) % open_.servers;
    }
    return lanes_[server]->put(offset, data.first(bytes)) ? bytes : 0;
}

// ---- drains ----

// The first rank of the node asks for all of them, behind a barrier: what their rings hold now belongs to it.
void Session::drain(const Drain& drain, Answered answered) {
    if (!failed_.ok()) return answered({failed_});
    if (drain.epoch == last_epoch_) return answered(Reply(last_drained_));
    if (!drain_) {
        drain_.emplace();
        drain_->drain = drain;
        for (const auto& port : ports_) drain_->targets.emplace_back(port.get(), port->written());
    }
    if (drain_->drain.epoch != drain.epoch) throw ProtocolError("a drain before the one before it is done");
    drain_->waiting.push_back(std::move(answered));
}

bool Session::work_on_drain() {
    if (!drain_ || drain_->passed) return false;
    for (const auto& [port, position] : drain_->targets)
        if (!port->reached(position)) return false;
    drain_->passed = true;
    drain_->lanes_left = lanes_.size();
    drain_->replies.resize(lanes_.size());
    const Drain drain = drain_->drain;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
        lanes_[lane]->drain(drain, [this, lane](Reply&& reply) { lane_drained(lane, std::move(reply)); });
    return true;
}

// Of several servers' failures that of the lowest is told, on all nodes the same.
void Session::lane_drained(std::size_t lane, Reply&& reply) {
    if (!drain_) return;
    drain_->replies[lane] = std::move(reply);
    if (--drain_->lanes_left > 0) return;
    Reply all;
    for (const Reply& one : drain_->replies) {
        all.status.keep_first(one.status);
        all.value = std::max(all.value, one.value);
    }
    const AllDrain done = std::move(*drain_);
    drain_.reset();
    last_epoch_ = done.drain.epoch;
    last_drained_ = all;
    for (const Answered& answered : done.waiting) answered(Reply(all));
}

// ---- all together ----

bool Session::work() {
    bool moved = false;
    try {
        for (const auto& lane : lanes_)
            if (lane) moved = lane->work() || moved;
        for (const auto& port : ports_)
            moved = port->work([this](Offset offset, std::span<const std::byte> data) { return put(offset, data); }) || moved;
        for (std::size_t i = ports_.size(); i-- > 0;) serve(*ports_[i]);  // a port that leaves is gone
        moved = work_on_drain() || moved;
        if (left_ >= open_.ranks_here) leave_parents();
        if (!broken_.ok()) fail({broken_.code, broken_.text + " " + here(), broken_.errno_name});
    } catch (const std::exception& error) {
        fail({Code::bad_request, fmt::format("the agent {} gave up the file: {}", here(), error.what()), ""});
    }
    return moved;
}

bool Session::sleep() {
    bool quiet = true;
    for (const auto& port : ports_) quiet = port->sleep() && quiet;
    return quiet;
}

void Session::wake() {
    for (const auto& port : ports_) port->wake();
}

// ---- failures and the end ----

// Nobody waits any longer, here and elsewhere: all get this failure, and what still comes is dropped.
void Session::fail(const Status& why) {
    if (!failed_.ok()) return;
    failed_ = why;
    for (const auto& lane : lanes_)
        if (lane) lane->tell_neighbours(why);
    for (const auto& port : ports_) port->connection().send({Type::failure, 0, number_, 0, 0, 0}, encode(why));
    for (const auto& lane : lanes_)
        if (lane) lane->fail(why);
    if (!drain_) return;
    const AllDrain waiting = std::move(*drain_);
    drain_.reset();
    for (const Answered& answered : waiting.waiting) answered({why});
}

void Session::ended(Connection& connection, const Status& why) {
    if (connection.role.kind == Role::child && connection.role.session == number_) {
        for (const auto& lane : lanes_)
            if (lane && lane->lost_child(connection)) fail({Code::lost_process, fmt::format("{} ({})", why.text, here()), ""});
        return;
    }
    if (connection.role.kind == Role::parent && connection.role.session == number_)
        return fail({Code::lost_process, fmt::format("{} ({})", why.text, here()), ""});
    if (&connection == opener_.get()) opener_gone_ = true;
    if (RankPort* const port = port_of(connection)) {
        remove(*port);
        ++left_;
        fail({Code::lost_process, fmt::format("{} before it closed the file ({})", why.text, here()), ""});
    }
}

bool Session::over() const {
    if (left_ < open_.ranks_here) return (abandoned_ || opener_gone_) && ports_.empty();
    return !failed_.ok() || std::ranges::all_of(lanes_, [](const auto& lane) { return lane->children_left(); });
}

// Lane by lane: with several servers two nodes may be each other's parents.
void Session::leave_parents() {
    for (const auto& lane : lanes_)
        if (lane->children_left()) lane->leave_parent();
}

void Session::end() {
    for (const auto& lane : lanes_)
        if (lane) lane->leave_parent();
}

}  // namespace kumihimo::iod::process
