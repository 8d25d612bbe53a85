#include "mpiio/engine/stampi/opening.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/hosts.hpp"
#include "iod/protocol/wire.hpp"
#include "mpiio/engine/exchange.hpp"
#include "mpiio/engine/failures.hpp"
#include "mpiio/engine/mode.hpp"

namespace kumihimo::mpiio::stampi {

namespace {

// What rank 0 tells the others. Plain bytes; the route follows them.
struct Start {
    Parameters parameters;
    iod::Opening opening{};
};

iod::Opening random_opening() {
    std::random_device random;
    iod::Opening opening;
    for (std::byte& byte : opening) byte = static_cast<std::byte>(random());
    return opening;
}

// Rank 0's start and routes, one after the other.
std::vector<iod::Route> share(State& state, const iod::way::Machine& machine, const Hints& hints, iod::Opening& opening) {
    iod::Payload told;
    if (state.rank == 0) {
        Start start{default_parameters(), random_opening()};
        apply_hints(hints, start.parameters);
        iod::Writer writer;
        writer.raw(std::as_bytes(std::span(&start, 1)));
        for (const iod::Route& route : iod::way::routes_to(machine)) {
            const iod::Payload encoded = encode(route);
            writer.integer(static_cast<std::uint32_t>(encoded.size()));
            writer.raw(encoded);
        }
        told = writer.take();
    }
    const iod::Payload all = broadcast(state.comm, told);
    iod::Reader reader(all);
    Start start;
    std::memcpy(&start, reader.raw(sizeof start).data(), sizeof start);
    state.parameters = start.parameters;
    opening = start.opening;
    std::vector<iod::Route> routes;
    while (!reader.rest().empty()) routes.push_back(iod::decode<iod::Route>(reader.raw(reader.integer<std::uint32_t>())));
    return routes;
}

// At least one for each host, whose ranks share it.
Groups groups_for(const State& state) {
    const std::vector<int>& host_of_rank = base::hosts_of(state.comm).host_of_rank;
    const auto hosts = static_cast<Index>(std::set<int>(host_of_rank.begin(), host_of_rank.end()).size());
    return groups_of(host_of_rank,
                     static_cast<int>((std::min<Index>(state.parameters.processes, state.ranks) + hosts - 1) / hosts));
}

// ---- step 1: each group's first rank finds the way ----

std::vector<iod::Routed> routes_of_groups(const State& state, const iod::Routed& mine) {
    const auto told = gather_all(state.comm, state.leads() ? encode(mine) : iod::Payload{});
    std::vector<iod::Routed> routed;
    for (int group = 0; group < state.groups.count(); ++group)
        routed.push_back(iod::decode<iod::Routed>(told[static_cast<std::size_t>(state.groups.leader(group))]));
    return routed;
}

std::optional<Failure> first_failure(const State& state, const std::vector<iod::Routed>& routed) {
    for (int group = 0; group < state.groups.count(); ++group)
        if (auto failure = failure_of(routed[static_cast<std::size_t>(group)].status, state.text())) {
            failure->text = fmt::format("rank {}: {}", state.groups.leader(group), failure->text);
            return failure;
        }
    return std::nullopt;
}

// ---- step 2: the others join it ----

iod::Link connect(const State& state, const iod::Routed& routed) {
    auto connection =
        iod::Connection::to(routed.local_address, fmt::format("the I/O process on the way to {}", state.name.host));
    const auto place = static_cast<std::size_t>(state.groups.place_in_group(state.rank));
    connection.greet(fmt::format("rank {}", state.rank), routed.rank_tokens.at(place - 1));
    return {nullptr, std::move(connection), routed.local_address};
}

iod::Status join(State& state, const std::vector<iod::Routed>& routed, std::optional<iod::Agent>& agent) {
    try {
        iod::Link link = agent ? agent->take_link() : connect(state, routed[static_cast<std::size_t>(state.group())]);
        state.remote = std::make_unique<iod::Remote>(std::move(link), static_cast<std::size_t>(state.parameters.window),
                                                     state.ranks_here());
        return {};
    } catch (const iod::ConnectionLost& lost) {
        return lost.status();
    } catch (const std::exception& error) {
        return iod::Status::of_exception(error, "the I/O process");
    }
}

// ---- step 3: rank 0 opens or creates the file, then the others open what is there ----

iod::FileOpen question(const State& state, const iod::Opening& opening) {
    iod::FileOpen open{state.name.path, {}, opening, state.rank == 0};
    open.mode.read = reads(state.amode);
    open.mode.write = writes(state.amode);
    open.mode.create = open.first && creates(state.amode);
    open.mode.exclusive = open.first && exclusively(state.amode);
    open.mode.permissions = static_cast<std::uint32_t>(state.parameters.permissions);
    return open;
}

std::optional<Failure> open_file(State& state, const iod::Opening& opening) {
    const auto open = [&](bool mine) {
        return base::agree(
            state.comm, mine ? failure_of(state.remote->open(question(state, opening)), state.text()) : std::nullopt, "rank");
    };
    if (auto failure = open(state.rank == 0)) return failure;
    auto failure = open(state.rank != 0);
    if (failure && state.rank == 0 && makes_new(state.amode)) (void)state.remote->remove({state.name.path});
    return failure;
}

void give_up(State& state) {
    if (state.remote) state.remote->leave();
    state.remote.reset();
}

}  // namespace

std::optional<Failure> open_together(State& state, const OpenRequest& request, const Target& target) {
    state.comm = request.comm;
    state.name = target.name;
    state.amode = request.amode;
    MPI_Comm_rank(state.comm, &state.rank);
    MPI_Comm_size(state.comm, &state.ranks);
    iod::Opening opening;
    std::vector<iod::Route> routes = share(state, target.machine, request.hints, opening);
    state.groups = groups_for(state);
    for (iod::Route& route : routes) {
        route.ranks = static_cast<std::uint32_t>(state.ranks_here());
        route.alone = state.groups.count() == 1;
        route.channel = state.parameters.channel;
        route.compresses = state.parameters.compression;
    }
    // Each group begins with another way, its further connections with the ways behind that.
    std::ranges::rotate(routes, routes.begin() + state.group() % static_cast<int>(routes.size()));
    std::optional<iod::Agent> agent;
    const auto routed = routes_of_groups(state, state.leads() ? begin_way(routes.front(), agent) : iod::Routed{});
    if (auto failure = first_failure(state, routed)) return failure;
    state.channel = routed[static_cast<std::size_t>(state.group())].channel;
    std::optional<Failure> failure = base::agree(state.comm, failure_of(join(state, routed, agent), state.text()), "rank");
    if (!failure) failure = open_file(state, opening);
    if (failure)
        give_up(state);
    else
        state.remote->widen({std::move(routes), question(state, opening), state.streams_here()});
    return failure;
}

}  // namespace kumihimo::mpiio::stampi
