#include "simulator/programs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/spelling.hpp"
#include "collectives/pieces.hpp"
#include "simulator/rank.hpp"

namespace kumihimo::simulator {

namespace {

using namespace collectives;

// ---- Point-to-point measurements, as IMB defines them ----

Steps ping_pong(Call call) {
    if (call.rank == 0) {
        const StepIndex there = co_yield send(1, call.vector(Buffer::send));
        co_yield receive(1, call.vector(Buffer::receive), there);
    } else if (call.rank == 1) {
        const StepIndex there = co_yield receive(0, call.vector(Buffer::receive));
        co_yield send(0, call.vector(Buffer::send), there);  // as IMB and kumihimo bench do
    }
}

Steps ping_ping(Call call) {
    if (call.rank > 1) co_return;
    co_yield receive(1 - call.rank, call.vector(Buffer::receive));
    co_yield send(1 - call.rank, call.vector(Buffer::send));
}

Steps send_receive(Call call) {
    co_yield receive(call.ahead(-1), call.vector(Buffer::receive));
    co_yield send(call.ahead(1), call.vector(Buffer::send));
}

// Both messages between two ranks may go to the same one: a channel for each direction.
Steps exchange(Call call) {
    for (const int side : {-1, 1}) co_yield receive(call.ahead(side), call.vector(Buffer::receive), {}, side < 0);
    for (const int side : {-1, 1}) co_yield send(call.ahead(side), call.vector(Buffer::send), {}, side > 0);
}

Steps stencil(Call call) {
    std::array<int, most_axes> axes{};
    const int count = call.torus.axes(axes);
    for (int i = 0; i < count; ++i)
        for (const int side : {-1, 1})
            co_yield receive(call.torus.neighbour(call.rank, axes[i], side), call.vector(Buffer::receive), {},
                             2 * i + (side < 0));
    for (int i = 0; i < count; ++i)
        for (const int side : {-1, 1})
            co_yield send(call.torus.neighbour(call.rank, axes[i], side), call.vector(Buffer::send), {}, 2 * i + (side > 0));
}

// A barrier whose signals interfaces pass on: processors begin it, and see its end. By dissemination (Hensgen, Finkel, Manber,
// 1988), since a signal of each round goes on when that of the round before has come.
Steps barrier_by_interfaces(Call call) {
    StepIndex before = co_yield copy({}, {});
    for (int distance = 1; distance < call.ranks; distance *= 2) {
        const StepIndex received = co_yield receive(call.ahead(-distance), {}, before);
        co_yield send(call.ahead(distance), {}, before);
        before = received;
    }
    co_yield copy({}, {}, before);
}
constexpr const char* by_interfaces = "interfaces";

struct Pattern {
    const char* name;
    const char* explanation;
    Steps (*steps)(Call);
    int rounds;
};
constexpr Pattern patterns[] = {
    {"PingPong", "rank 0 to rank 1 and back; half the time of both", ping_pong, 2},
    {"PingPing", "ranks 0 and 1 send to each other at once", ping_ping, 1},
    {"Sendrecv", "every rank sends to the one after it", send_receive, 1},
    {"Exchange", "every rank exchanges with the ranks before and after it", exchange, 1},
    {"Stencil", "every rank exchanges with its neighbours along all axes", stencil, 1},
};

// "Bcast" of `kumihimo bench` is "bcast" of collectives; v forms are their operation with sizes.
struct Named {
    const char* name;
    Operation operation;
    bool varying;
};
constexpr Named named[] = {
    {"Bcast", Operation::broadcast, false},     {"Allreduce", Operation::allreduce, false},
    {"Reduce", Operation::reduce, false},       {"Reduce_scatter", Operation::reduce_scatter, false},
    {"Allgather", Operation::allgather, false}, {"Allgatherv", Operation::allgather, true},
    {"Gather", Operation::gather, false},       {"Gatherv", Operation::gather, true},
    {"Alltoall", Operation::alltoall, false},   {"Alltoallv", Operation::alltoall, true},
    {"Scatter", Operation::scatter, false},     {"Scatterv", Operation::scatter, true},
    {"Barrier", Operation::barrier, false},
};

bool of_vector(Operation operation) {
    return operation == Operation::broadcast || operation == Operation::reduce || operation == Operation::allreduce;
}

std::string meant(const std::string& word, const std::vector<std::string>& candidates) {
    const std::string found = base::nearest(word, candidates);
    return found.empty() ? fmt::format("there are: {}", fmt::join(candidates, ", ")) : "did you mean '" + found + "'?";
}

const Algorithm& algorithm_of(Operation operation, const std::string& name) {
    std::vector<std::string> names;
    for (const Algorithm& algorithm : algorithms())
        if (algorithm.operation == operation) names.emplace_back(algorithm.name);
    if (const Algorithm* const found = find_algorithm(operation, name.c_str())) return *found;
    throw base::Error(fmt::format("{} has no algorithm '{}'", name_of(operation), name), meant(name, names));
}

// What an algorithm that does not suit a call would take: found by asking it of other calls.
std::string why_not(const Algorithm& algorithm, Call call) {
    call.varying = !call.varying;
    if (algorithm.suits(call)) return call.varying ? "it takes the blocks of a v form" : "it takes blocks of equal size";
    call.varying = false;
    const int ranks = call.ranks;
    call.ranks = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
    if (algorithm.suits(call)) return fmt::format("it takes a power of two of ranks, as {}", call.ranks);
    for (const int extent : {2, 3}) {
        for (int axes = 2; axes <= 3; ++axes) {
            call.torus.extents.fill(1);
            std::fill_n(call.torus.extents.begin(), axes, extent);
            call.ranks = call.torus.ranks();
            if (algorithm.suits(call))
                return fmt::format("it takes {} axes{}, as --shape {}{}", axes, extent == 2 ? "" : " of three ranks or more",
                                   extent, axes == 2 ? "xN" : "xNxM");
        }
    }
    return "it takes several nodes, and some of them with several ranks, as --set ranks_of_node=2";
}

// Bytes of a link and picoseconds are counted in 64 bits; nobody's memory holds as much.
void check_size(Bytes bytes, int ranks) {
    constexpr Bytes most = Bytes{1} << 36;
    if (bytes < 0 || bytes > most) throw base::Error("a size is at most 64 GiB");
    if (static_cast<double>(bytes) * ranks * ranks > 0x1p62)
        throw base::Error(fmt::format("{} is too much for each of {} ranks",
                                      base::bytes_text(static_cast<unsigned long long>(bytes)), ranks));
}

}  // namespace

Program::Program(const std::string& operation, const std::string& algorithm, Call call, Bytes bytes, bool roots_in_turn,
                 std::vector<Bytes> blocks)
    : call_(call), roots_in_turn_(roots_in_turn), sizes_(std::move(blocks)) {
    if (!sizes_.empty() && sizes_.size() != static_cast<std::size_t>(call.ranks))
        throw base::Error(fmt::format("{} have no {}", base::counted(call.ranks, "rank"),
                                      base::counted(static_cast<std::int64_t>(sizes_.size()), "block")));
    check_size(std::ranges::max(sizes_.empty() ? std::vector{bytes} : sizes_), call.ranks);
    for (const Pattern& pattern : patterns)
        if (operation == pattern.name) {
            if (!algorithm.empty()) throw base::Error(operation + " has no algorithms: leave --algorithm out");
            if (call_.ranks < 2) throw base::Error(operation + " takes two ranks or more");
            run_pattern(pattern.steps, pattern.rounds, bytes);
            return;
        }
    if (operation == "Barrier" && algorithm == by_interfaces) {
        of_interfaces_ = true;
        run_pattern(barrier_by_interfaces, 1, 0);
        return;
    }
    const auto found =
        std::find_if(std::begin(named), std::end(named), [&](const Named& one) { return operation == one.name; });
    if (found == std::end(named)) {
        std::vector<std::string> names;
        for (const Pattern& pattern : patterns) names.emplace_back(pattern.name);
        for (const Named& one : named) names.emplace_back(one.name);
        throw base::Error("there is no operation '" + operation + "'", meant(operation, names));
    }
    call_.operation = found->operation;
    if (bytes % call_.element_bytes != 0) call_.element_bytes = 1;  // so many bytes are no whole elements
    algorithm_ = &algorithm_of(found->operation, algorithm);
    rooted_ = found->operation == Operation::broadcast || found->operation == Operation::reduce ||
              found->operation == Operation::gather || found->operation == Operation::scatter;
    // The size of Reduce_scatter is that of the whole vector, as in IMB 3.2.4.
    const Bytes block =
        found->operation == Operation::reduce_scatter ? bytes / call_.ranks / call_.element_bytes * call_.element_bytes : bytes;
    if (of_vector(found->operation))
        call_.bytes = bytes;
    else
        call_.block_bytes = call_.send_blocks.bytes = call_.receive_blocks.bytes = block;
    call_.varying = found->varying;
    if (!call_.varying && !sizes_.empty())
        throw base::Error("the blocks of " + operation + " are equal",
                          "those of Allgatherv, Alltoallv, Gatherv and Scatterv may differ");
    if (call_.varying) {
        if (sizes_.empty()) sizes_.assign(static_cast<std::size_t>(call_.ranks), block);
        differ_ = std::ranges::any_of(sizes_, [&](Bytes size) { return size != block; });
        if (found->operation == Operation::alltoall)
            for (int rank = 0; rank < call_.ranks; ++rank) sizes_.push_back(sizes_[static_cast<std::size_t>(rank)]);
        offsets_.resize(sizes_.size());
        std::exclusive_scan(sizes_.begin(), sizes_.end(), offsets_.begin(), Bytes{0});
    }
    if (algorithm_->asks_sizes && call_.varying && call_.placement != nullptr) tell_sizes();
    const Call example = of(0, 0);
    if (!algorithm_->suits(example))
        throw base::Error(fmt::format("{} by {} does not suit this call", operation, algorithm), why_not(*algorithm_, example));
    if (!usable(*algorithm_, example))
        throw base::Error(fmt::format("{} by {} takes more work space than {}", operation, algorithm,
                                      base::bytes_text(static_cast<unsigned long long>(call_.work_limit))),
                          "--work gives it more");
}

void Program::run_pattern(Steps (*pattern)(Call), int rounds, Bytes bytes) {
    pattern_ = pattern;
    rounds_ = rounds;
    call_.bytes = bytes;
}

// What the ranks of each host tell its leader; the telling itself is not simulated.
void Program::tell_sizes() {
    const Placement& placement = *call_.placement;
    told_.resize(static_cast<std::size_t>(placement.hosts()));
    for (int host = 0; host < placement.hosts(); ++host)
        for (const int rank : placement.ranks(host)) {
            std::vector<Bytes>& told = told_[static_cast<std::size_t>(host)];
            if (call_.operation != Operation::alltoall) {
                told.push_back(sizes_[static_cast<std::size_t>(rank)]);
                continue;
            }
            // As much goes to each rank as comes from it.
            const auto row = sizes_.begin() + rank;
            for (int direction = 0; direction < 2; ++direction) told.insert(told.end(), row, row + call_.ranks);
        }
}

Call Program::of(int rank, int call) const {
    Call one = call_;
    one.rank = rank;
    one.root = rooted_ && roots_in_turn_ ? call % call_.ranks : 0;
    if (call_.varying) {
        const std::size_t first = first_block(rank);
        one.send_blocks = one.receive_blocks = {call_.block_bytes, &sizes_[first], &offsets_[first]};
        if (call_.operation != Operation::alltoall) one.block_bytes = sizes_[static_cast<std::size_t>(rank)];
        if (!told_.empty()) one.told = told_[static_cast<std::size_t>(call_.placement->host(rank))].data();
    }
    return one;
}

std::size_t Program::first_block(int rank) const {
    return call_.operation == Operation::alltoall ? static_cast<std::size_t>(rank) : 0;
}

Steps Program::steps(int rank, int call) const {
    return pattern_ != nullptr ? pattern_(of(rank, call)) : schedule(*algorithm_, of(rank, call));
}

bool Program::takes_part(int rank) const {
    return steps(rank, 0).next() != nullptr;
}

Program::Needs Program::needs(const std::vector<int>& node) const {
    const auto here = [&](int rank) { return std::ranges::find(node, rank) != node.end(); };
    if (algorithm_ == nullptr) {
        Needs found;
        for (const int rank : node) {
            Steps list = steps(rank, 0);
            while (const Step* const step = list.next())
                if (Rank::is_message(*step) && !here(step->peer))
                    (step->action == Action::send ? found.sends : found.receives) += step->from.bytes + step->to.bytes;
        }
        return {found.sends / rounds_, found.receives / rounds_};
    }
    if (static_cast<int>(node.size()) == call_.ranks) return {};
    const auto block = [&](int rank, int of) {
        return call_.varying ? sizes_[first_block(rank) + static_cast<std::size_t>(of)] : call_.block_bytes;
    };
    // Of one rank's blocks: those that it has for its own node, or from there, and all others.
    Bytes own = 0, others = 0;
    for (const int rank : node) {
        const auto row = sizes_.begin() + static_cast<std::ptrdiff_t>(call_.varying ? first_block(rank) : 0);
        const Bytes blocks =
            call_.varying ? std::accumulate(row, row + call_.ranks, Bytes{0}) : call_.ranks * call_.block_bytes;
        Bytes within = 0;
        for (const int other : node) within += block(rank, other);
        others = call_.operation == Operation::alltoall ? others + blocks - within : blocks - within;
        own = within;
    }
    const Bytes all = call_.bytes;
    const bool root = here(0);
    switch (call_.operation) {
        case Operation::broadcast:
            return root ? Needs{all, 0} : Needs{0, all};
        case Operation::reduce:
            return root ? Needs{0, all} : Needs{all, 0};
        case Operation::allreduce:
            return {all, all};
        case Operation::scatter:
            return root ? Needs{others, 0} : Needs{0, own};
        case Operation::gather:
            return root ? Needs{0, others} : Needs{own, 0};
        case Operation::allgather:
            return {own, others};
        case Operation::reduce_scatter:
            return {others, own};
        case Operation::alltoall:
            return {others, others};
        case Operation::barrier:
            return {};
    }
    return {};
}

std::size_t Program::look_ahead(int rank, int call) const {
    if (algorithm_ == nullptr) return least_window;
    return ahead_ > 0 ? std::max(ahead_, std::size_t{least_window}) : collectives::look_ahead(*algorithm_, of(rank, call));
}

Course Program::course(int rank) const {
    if (algorithm_ == nullptr) return {};
    Call call = of(rank, 0);
    const std::string name = algorithm_->name;
    if (exchanges() && (name == "linear" || name == "pairwise" || name == "torus")) {
        const int under_way = name == "torus" ? call.rounds_in_flight : name == "linear" ? least_window / 2 : 1;
        return {Course::Kind::exchanges, 1, 2, call_.ranks - 1.0, under_way, name == "torus"};
    }
    if (!of_vector(call.operation) || !algorithm_->pipelined || call.bytes == 0) return {};
    const Bytes piece = divide(*algorithm_, call).piece_bytes;
    Course course{Course::Kind::pieces, 0, 0, static_cast<double>(call.bytes) / static_cast<double>(piece * algorithm_->parts)};
    call.bytes = piece;
    for (call.channel = 0; call.channel < algorithm_->parts; ++call.channel)
        for (Steps steps = algorithm_->steps(call); steps.next() != nullptr;) ++course.each;
    return course;
}

Steps Program::barrier(int rank) const {
    Call call = call_;
    call.operation = Operation::barrier;
    call.rank = rank;
    return schedule(*find_algorithm(Operation::barrier, "dissemination"), call);
}

Program::Estimate Program::estimate() const {
    constexpr int samples = 15;
    constexpr double of_rank = 3000;  // the schedule's own, and what a rank is besides its steps
    Estimate sum;
    int count = 0;
    // Not the first, which is often the root.
    for (int i = 0; i < samples; ++i) {
        const int rank = static_cast<int>((2 * std::int64_t{i} + 1) * ranks() / (2 * samples));
        Steps list = steps(rank, 0);
        double all = 0;
        while (const Step* const step = list.next()) {
            sum.messages += step->action == Action::send;
            ++all;
        }
        const double view = std::min(all, static_cast<double>(std::max<std::size_t>(look_ahead(rank, 0), least_window)));
        sum.bytes += of_rank + 1.2 * view * sizeof(Live);
        ++count;
    }
    const double each = static_cast<double>(ranks()) / count;
    return {sum.messages * each, sum.bytes * each};
}

std::vector<Listed> programs() {
    std::vector<Listed> found;
    for (const Pattern& pattern : patterns) found.push_back({pattern.name, "", pattern.explanation});
    for (const Named& one : named)
        for (const Algorithm& algorithm : algorithms())
            if (algorithm.operation == one.operation) found.push_back({one.name, algorithm.name, algorithm.explanation});
    found.push_back({"Barrier", by_interfaces, "network interfaces pass signals on, as Tofu's do; constant barrier_interface"});
    return found;
}

}  // namespace kumihimo::simulator
