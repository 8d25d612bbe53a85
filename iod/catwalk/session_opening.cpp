// How a session begins: server 0 opens the file, addresses and tokens go out, lanes are laid
// (docs/explanation/wire-protocol.md, "Opening a file").
#include <algorithm>
#include <ctime>
#include <system_error>

#include "base/format.hpp"
#include "iod/catwalk/session.hpp"
#include "iod/catwalk/shares.hpp"
#include "iod/link/random_bytes.hpp"

namespace kumihimo::iod::process {

Session::Session(Host& host, std::uint32_t number, const Open& open, std::shared_ptr<Connection> opener)
    : host_(host),
      number_(number),
      open_(open),
      opener_(std::move(opener)),
      pace_(Shares(open, true).stage, open.ranks_here),
      pace_alarm_(host.loop()) {
    open_.children.resize(open_.servers);
    children_missing_ = open_.children;
    if (open_.opened == Opening{}) open_.opened = random_name();
}

std::string Session::here() const {
    return fmt::format("on host {}", open_.host);
}

std::unique_ptr<Server> Session::make_server(std::uint32_t number, OpenMode mode) {
    ServerOptions options{open_.path, here(), number, mode, open_.opened};
    options.durable = open_.options.durable;
    options.accept_incomplete = open_.options.accept_incomplete;
    options.fifo_bytes = Shares(open_, true).fifo;
    options.broken = [this](const Status& why) { broken_ = why; };
    return std::make_unique<Server>(host_.loop(), std::move(options));
}

// Server 0 is host 0's, and the only one that may have to create the file.
void Session::begin(const FrameHeader& request) {
    if (open_.host != 0) return answer_open(request, {});
    try {
        first_server_ = make_server(0, open_.mode);
    } catch (const std::system_error& error) {  // no thread for it
        return answer_open(request, Status::of_exception(error, fmt::format("cannot serve '{}' {}", open_.path, here())));
    }
    first_server_->open([this, request](Reply&& reply) { answer_open(request, reply.status); });
}

void Session::answer_open(const FrameHeader& request, const Status& status) {
    is_opened_ = status.ok();
    Opened opened{status, number_, {}, host_.local_address(), {}, {}};
    if (status.ok()) {
        for (std::uint32_t rank = 1; rank < open_.ranks_here; ++rank)
            opened.rank_tokens.push_back(host_.token({Role::rank, number_, 0}));
        opened.child_tokens.resize(open_.servers);
        bool children = false;
        for (std::uint32_t server = 0; server < open_.servers; ++server)
            for (std::uint32_t child = 0; child < children_missing_[server]; ++child, children = true)
                opened.child_tokens[server].push_back(host_.token({Role::child, number_, server}));
        if (children) opened.addresses = host_.addresses(open_.neighbours, open_.one_machine);
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
    stage.children = static_cast<int>(open_.children[server]);
    return {server, stage, {shares.staged, static_cast<Offset>(open_.options.stripe), open_.options.journal_directory}};
}

std::unique_ptr<JournalFile> Session::make_journal(std::uint32_t server) {
    const Method method = open_.options.method;
    if (!open_.mode.write || (method != Method::journal && method != Method::automatic)) return nullptr;
    const JournalHeader header{open_.path, open_.opened, open_.host, server, static_cast<std::int64_t>(std::time(nullptr))};
    return std::make_unique<JournalFile>(open_.options.journal_directory, header, [this](const Status& why) { broken_ = why; });
}

std::unique_ptr<Lane> Session::make_lane(std::uint32_t server, bool root) {
    auto lane = std::make_unique<Lane>(lane_options(server, root), make_journal(server));
    for (const auto& child : early_children_)
        if (child->role.server == server) lane->children().add(child);
    return lane;
}

void Session::attach(Connection& connection, const Arrival& arrival) {
    const Attach attach = decode<Attach>(arrival.payload);
    const bool opener = &connection == opener_.get();
    if (!opener || !is_opened_ || !lanes_.empty() || attach.parents.size() != open_.servers)
        throw ProtocolError("an attach that does not fit its open");
    std::vector<std::unique_ptr<Lane>> lanes;
    for (std::uint32_t server = 0; server < open_.servers; ++server)
        lanes.push_back(make_lane(server, attach.parents[server].server_here));
    lanes_ = std::move(lanes);
    attaching_ = arrival.header;
    attaching_left_ = open_.servers;
    for (std::uint32_t server = 0; server < open_.servers; ++server) attach_lane(server, attach.parents[server]);
}

void Session::attach_lane(std::uint32_t server, const Parent& parent) try {
    if (parent.server_here && first_server_ && server == 0) {
        lanes_[server]->set_server(std::move(first_server_));
        attached({});
    } else if (parent.server_here) {
        OpenMode mode = open_.mode;
        mode.create = mode.exclusive = false;
        lanes_[server]->set_server(make_server(server, mode));
        lanes_[server]->server()->open([this](Reply&& reply) { attached(reply.status); });
    } else {
        const auto connected = [this, weak = weak_from_this(), server, session = parent.session](std::shared_ptr<Connection> to,
                                                                                                 const Status& status) {
            if (weak.expired()) return;
            guarded([&] {
                if (to) lanes_[server]->set_parent(std::move(to), session);
                attached(status);
            });
        };
        host_.connect(parent.addresses, {fmt::format("the agent of host {}", open_.host), parent.token},
                      {Role::parent, number_, server}, connected);
    }
} catch (const std::system_error& error) {  // no thread for the server
    attached(Status::of_exception(error, fmt::format("cannot serve '{}' {}", open_.path, here())));
}

void Session::attached(const Status& status) {
    attach_status_.keep_first(status);
    if (--attaching_left_ > 0) return;
    if (attach_status_.ok())
        for (const auto& lane : lanes_) lane->stage_what_is_far();
    opener_->answer(*attaching_, encode(attach_status_));
    is_attached_ = true;
    for (auto& [connection, arrival] : std::exchange(early_joins_, {})) join(*connection, std::move(arrival));
}

bool Session::add_child(const std::shared_ptr<Connection>& child) {
    const std::uint32_t server = child->role.server;
    if (server >= children_missing_.size() || children_missing_[server] == 0) return false;
    --children_missing_[server];
    if (lanes_.empty())
        early_children_.push_back(child);  // other hosts may be faster than this one
    else
        lanes_[server]->children().add(child);
    return true;
}

}  // namespace kumihimo::iod::process
