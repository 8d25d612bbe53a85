#include "system.hpp"

#include <algorithm>
#include <cstring>

namespace kumihimo::iod::model {

namespace {

constexpr int units = 64;
constexpr std::uint64_t hash_factor = 1099511628211u;  // FNV-1a

// Each write of each rank has a value of its own, in all its bytes.
int value_of(int node, std::size_t step) {
    return 1 + node * 16 + static_cast<int>(step);
}

}  // namespace

System::System(const Shape& shape)
    : shape_(shape),
      nodes_(shape.parents.size()),
      drained_(static_cast<std::size_t>(shape.servers)),
      file_(units),
      before_(units) {
    times_written_.resize(units);
    const int last = static_cast<int>(nodes_.size()) - 1;
    for (Node& node : nodes_) {
        node.lanes.resize(static_cast<std::size_t>(shape.servers));
        node.step_taken.resize(static_cast<std::size_t>(shape.servers));
    }
    for (int server = 0; server < shape.servers; ++server)
        for (int i = 0; i <= last; ++i) {
            const int parent = shape.parents[static_cast<std::size_t>(i)], node = server == 0 ? i : last - i;
            lane(node, server).parent = parent < 0 ? -1 : server == 0 ? parent : last - parent;
            if (parent >= 0) lane(lane(node, server).parent, server).children.push_back(node);
        }
    for (Node& node : nodes_)
        for (Lane& lane : node.lanes) {
            StageOptions options{.method = shape.method, .merge = shape.merge, .largest_record = largest_record};
            options.sort_buffer = 0;  // the least that a stage takes: three records
            options.batch_bytes = 1;  // each record leaves alone
            options.early_bytes = 0;
            options.way_out_is_a_network = true;
            options.children = static_cast<int>(lane.children.size());
            lane.overflow = std::make_unique<testing::MemoryOverflow>(shape.journal_fails_after);
            lane.stage = std::make_unique<Stage>(options, lane.overflow.get());
            lane.refused.resize(lane.children.size() + 1);
            lane.taken.resize(lane.children.size());
        }
}

// ---- which actions there are ----

bool System::rank_may(int node, int server) const {
    const Node& one = nodes_[static_cast<std::size_t>(node)];
    const Program& program = shape_.programs[static_cast<std::size_t>(node)];
    if (one.step == program.size() || one.step_taken[static_cast<std::size_t>(server)] || lane(node, server).refused[0])
        return false;
    const auto drains =
        static_cast<std::uint64_t>(std::count_if(program.begin(), program.begin() + static_cast<std::ptrdiff_t>(one.step),
                                                 [](const Step& step) { return step.kind == Step::Kind::drain; }));
    return std::ranges::all_of(drained_, [&](std::uint64_t epoch) { return epoch >= drains; });  // it waits for its last drain
}

bool System::child_may(int node, int server, int child) const {
    const Lane& here = lane(node, server);
    const int other = here.children[static_cast<std::size_t>(child)];
    if (here.refused[static_cast<std::size_t>(child) + 1]) return false;
    return !lane(other, server).to_parent.empty() ||
           (nodes_[static_cast<std::size_t>(other)].dead && here.taken[static_cast<std::size_t>(child)] != SIZE_MAX);
}

bool System::out_may(int node, int server) const {
    const Lane& here = lane(node, server);
    return !here.nothing_leaves && (here.parent < 0 || here.to_parent.size() < shape_.channel);
}

std::vector<Action> System::possible() const {
    std::vector<Action> found;
    for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) {
        if (lost(node)) continue;
        for (int server = 0; server < shape_.servers; ++server) {
            if (rank_may(node, server)) found.push_back({Action::Kind::from_rank, node, server, 0});
            for (int child = 0; child < static_cast<int>(lane(node, server).children.size()); ++child)
                if (child_may(node, server, child)) found.push_back({Action::Kind::from_child, node, server, child});
            if (out_may(node, server)) found.push_back({Action::Kind::out, node, server, 0});
        }
        if (node == shape_.dying_node && !done()) found.push_back({Action::Kind::die, node, 0, 0});
    }
    return found;
}

// Dead, or behind a dead node: its ranks are told so, and end.
bool System::lost(int node) const {
    for (; node >= 0; node = lane(node, 0).parent)
        if (nodes_[static_cast<std::size_t>(node)].dead) return true;
    return false;
}

bool System::done() const {
    return std::ranges::all_of(drained_, [&](std::uint64_t epoch) { return epoch == epochs(); });
}

std::uint64_t System::epochs() const {
    return static_cast<std::uint64_t>(std::ranges::count(shape_.programs[0], Step::Kind::drain, &Step::kind));
}

// A try that moved nothing leaves no trace but what it told: that it is useless until something else happens.
std::uint64_t System::history() const {
    std::uint64_t hash = 0;
    const auto add = [&](std::uint64_t what) { hash = (hash ^ what) * hash_factor; };
    for (const Node& node : nodes_)
        for (const Lane& lane : node.lanes) {
            add(lane.history);
            add(lane.nothing_leaves);
            add(lane.asked_again);
            for (const bool refused : lane.refused) add(refused);
        }
    return hash;
}

// ---- what they do ----

void System::run(const Action& action) {
    switch (action.kind) {
        case Action::Kind::from_rank:
            return from_rank(action.node, action.server);
        case Action::Kind::from_child:
            return from_child(action.node, action.server, action.child);
        case Action::Kind::out:
            return out(action.node, action.server);
        case Action::Kind::die:
            return die(action.node);
    }
}

void System::seen(Lane& lane, int what) {
    lane.history = (lane.history ^ static_cast<std::uint64_t>(what)) * hash_factor;
    lane.nothing_leaves = lane.asked_again = false;
}

bool System::put(Lane& lane, int source, Offset offset, std::span<const std::byte> data) {
    if (!lane.stage->has_room(data.size())) {
        lane.refused[static_cast<std::size_t>(source + 1)] = true;
        if (!lane.asked_again) lane.nothing_leaves = false;  // something leaves for it
        return false;
    }
    lane.stage->put(source, offset, data);
    seen(lane, source + 2);
    return true;
}

// The units of a step that belong to the server go to its lane at once; all at this node or none.
void System::from_rank(int node, int server) {
    Node& one = nodes_[static_cast<std::size_t>(node)];
    Lane& here = lane(node, server);
    const Step& step = shape_.programs[static_cast<std::size_t>(node)][one.step];
    if (step.kind == Step::Kind::drain) {
        seen(here, 100);
        here.stage->drain(Stage::ranks_here, drained_[static_cast<std::size_t>(server)] + 1);
        return step_done(node, server);
    }
    const std::vector<std::byte> data(largest_record, static_cast<std::byte>(value_of(node, one.step)));
    const int length = shape_.servers == 1 ? step.end - step.begin : 1;
    for (int at = step.begin; at < step.end; at += length) {
        if (at % shape_.servers != server && shape_.servers > 1) continue;
        if (!put(here, Stage::ranks_here, Offset{at} * static_cast<Offset>(unit),
                 std::span(data).first(static_cast<std::size_t>(length) * unit)))
            return;
    }
    step_done(node, server);
}

// The next step begins when all servers have this one.
void System::step_done(int node, int server) {
    Node& one = nodes_[static_cast<std::size_t>(node)];
    one.step_taken[static_cast<std::size_t>(server)] = true;
    if (std::ranges::find(one.step_taken, false) != one.step_taken.end()) return;
    one.step_taken.assign(one.step_taken.size(), false);
    ++one.step;
}

void System::from_child(int node, int server, int child) {
    Lane& here = lane(node, server);
    Lane& other = lane(here.children[static_cast<std::size_t>(child)], server);
    if (other.to_parent.empty()) {  // its connection broke
        seen(here, 200 + child);
        here.taken[static_cast<std::size_t>(child)] = SIZE_MAX;
        return here.stage->lose(child);
    }
    const Lane::Message& message = other.to_parent.front();
    if (message.drain != 0) {
        seen(here, 300 + child);
        here.stage->drain(child, message.drain);
    } else {
        std::size_t number = 0;
        std::size_t& taken = here.taken[static_cast<std::size_t>(child)];
        bool all = true;
        message.batch.for_each([&](Offset offset, std::span<const std::byte> data) {
            if (number++ == taken && all) (all = put(here, child, offset, data)) ? ++taken : taken;
        });
        if (!all) return;
        taken = 0;
    }
    other.to_parent.pop_front();
}

void System::out(int node, int server) {
    Lane& here = lane(node, server);
    const bool waited = std::ranges::find(here.refused, true) != here.refused.end();
    here.refused.assign(here.refused.size(), false);
    Lane::Message message;
    if (const auto epoch = here.stage->drained()) {  // it may be asked at any time
        message.drain = *epoch;
    } else if (!here.stage->next(message.batch)) {
        message.drain = here.stage->drained().value_or(0);
        here.nothing_leaves = message.drain == 0;
        if (here.nothing_leaves) return void(here.asked_again = waited);
    }
    seen(here, 400);
    if (here.parent >= 0) return here.to_parent.push_back(std::move(message));
    if (message.drain == 0) return apply(server, message.batch);
    drain_done(server, message.drain);
}

void System::die(int node) {
    nodes_[static_cast<std::size_t>(node)].dead = true;
    for (Lane& lane : nodes_[static_cast<std::size_t>(node)].lanes) seen(lane, 500);
}

// ---- what must come out ----

void System::apply(int server, const Batch& batch) {
    batch.for_each([&](Offset offset, std::span<const std::byte> data) {
        if (data.size() % unit != 0 || data.size() > largest_record) wrong_ = "a record of a size that nobody wrote";
        for (std::size_t i = 0; i < data.size() / unit; ++i) {
            const auto at = static_cast<std::size_t>(offset) / unit + i;
            const auto piece = data.subspan(i * unit, unit);
            if (std::memcmp(piece.data(), piece.data() + 1, unit - 1) != 0)  // all are the first
                wrong_ = "bytes of different writes in one unit";
            if (shape_.servers > 1 && static_cast<int>(at) % shape_.servers != server) wrong_ = "a record at the wrong server";
            file_[at] = static_cast<int>(piece[0]);
            ++times_written_[at];
        }
    });
}

void System::drain_done(int server, std::uint64_t epoch) {
    std::uint64_t& reached = drained_[static_cast<std::size_t>(server)];
    if (epoch != reached + 1) wrong_ = "drains complete out of order";
    reached = epoch;
    if (std::ranges::all_of(drained_, [&](std::uint64_t one) { return one >= epoch; })) check(epoch);
}

// Of each unit: the last write of one of the ranks since the last drain, or what was there; written once if one rank wrote it
// once.
void System::check(std::uint64_t epoch) {
    std::vector<std::set<int>> allowed(units);
    std::vector<int> writes(units);
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        std::uint64_t drains = 0;
        Values last(units);
        for (std::size_t i = 0; i < shape_.programs[node].size(); ++i) {
            const Step& step = shape_.programs[node][i];
            if (step.kind == Step::Kind::drain) ++drains;
            for (int at = step.begin; at < step.end && drains + 1 == epoch; ++at) {
                last[static_cast<std::size_t>(at)] = value_of(static_cast<int>(node), i);
                ++writes[static_cast<std::size_t>(at)];
            }
        }
        for (std::size_t at = 0; at < units; ++at) {
            if (last[at] != 0) allowed[at].insert(last[at]);
            if (last[at] != 0 && lost(static_cast<int>(node))) allowed[at].insert(file_[at]);  // as far as it came
        }
    }
    for (std::size_t at = 0; at < units; ++at) {
        if (allowed[at].empty()) allowed[at].insert(before_[at]);
        if (!allowed[at].contains(file_[at]))
            wrong_ = "unit " + std::to_string(at) + " holds what it must not, or not what it must";
        if (times_written_[at] > writes[at]) wrong_ = "a record arrived twice";
    }
    before_ = file_;
    times_written_.assign(units, 0);
}

}  // namespace kumihimo::iod::model
