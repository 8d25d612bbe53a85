#include "mpiio/engine/stampi/opening.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/hosts.hpp"
#include "iod/link/logins.hpp"
#include "iod/link/random_bytes.hpp"
#include "iod/protocol/wire.hpp"
#include "mpiio/engine/exchange.hpp"
#include "mpiio/engine/failures.hpp"
#include "mpiio/engine/mode.hpp"

namespace kumihimo::mpiio::stampi {

namespace {

// What rank 0 tells the others. Plain bytes; the file's path there, logins and routes follow them.
struct Start {
    Parameters parameters;
    iod::Opening opening{};
};

// Rank 0's start, path, logins and routes, one after the other.
iod::Payload told(const State& state, const iod::way::Machine& machine, const Hints& hints) {
    Start start{default_parameters(), iod::process::random_name()};
    apply_hints(hints, start.parameters);
    const iod::way::Storing storing{start.parameters.remote_io, hints_for_others(hints), state.ranks > 1};
    const std::vector<iod::Route> routes = iod::way::routes_to(machine, iod::way::Questions::never, storing);
    const std::string path = iod::way::path_there(machine, state.name, storing.by);
    const std::string logins = start.parameters.one_login ? iod::link::logins_of_job(routes.front().command) : "";
    iod::Writer writer;
    const auto append = [&writer](std::span<const std::byte> bytes) {
        writer.integer(static_cast<std::uint32_t>(bytes.size()));
        writer.raw(bytes);
    };
    writer.raw(std::as_bytes(std::span(&start, 1)));
    append(std::as_bytes(std::span(path)));
    append(std::as_bytes(std::span(logins)));
    for (const iod::Route& route : routes) append(encode(route));
    return writer.take();
}

std::vector<iod::Route> share(State& state, const iod::way::Machine& machine, const Hints& hints, iod::Opening& opening) {
    const iod::Payload all = broadcast(state.comm, state.rank == 0 ? told(state, machine, hints) : iod::Payload{});
    iod::Reader reader(all);
    Start start;
    std::memcpy(&start, reader.raw(sizeof start).data(), sizeof start);
    state.parameters = start.parameters;
    opening = start.opening;
    const auto next = [&reader] { return reader.raw(reader.integer<std::uint32_t>()); };
    for (std::string* const text : {&state.path, &state.logins}) {
        const auto bytes = next();
        text->assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    std::vector<iod::Route> routes;
    while (!reader.rest().empty()) routes.push_back(iod::decode<iod::Route>(next()));
    return routes;
}

// At least one for each host, whose ranks share it.
Groups groups_for(const State& state) {
    const std::vector<int>& host_of_rank = base::hosts_of(state.comm).host_of_rank;
    const auto hosts = static_cast<Index>(std::set<int>(host_of_rank.begin(), host_of_rank.end()).size());
    return groups_of(host_of_rank,
                     static_cast<int>((std::min<Index>(state.parameters.processes, state.ranks) + hosts - 1) / hosts));
}

// ---- logins ----

std::size_t place_of(const State& state, int group) {
    return static_cast<std::size_t>(std::ranges::count(state.host_of_group.begin(), state.host_of_group.begin() + group,
                                                       state.host_of_group[static_cast<std::size_t>(group)]));
}

// Each group begins with another way.
iod::Route route_of_group(const State& state, const std::vector<iod::Route>& ways) {
    const std::size_t number = static_cast<std::size_t>(state.group()) % ways.size();
    iod::Route route = ways[number];
    iod::link::share_login(route.command, state.logins, number, place_of(state, state.group()));
    return route;
}

// By the ways behind that, where one connection's window is too small for the way. Each has a login of its own: what shares one
// shares its TCP connection, of which the kernel keeps 4 MiB until they are acknowledged (tcp(7), tcp_wmem), hardly more than
// one window of ssh.
std::vector<iod::Route> further_routes(const State& state, const std::vector<iod::Route>& ways) {
    std::vector<iod::Route> routes;
    for (std::size_t i = 0; i < state.further_streams(state.group()); ++i)
        routes.push_back(ways[(static_cast<std::size_t>(state.group()) + 1 + i) % ways.size()]);
    return routes;
}

// No group before it is of the same login.
bool begins_login(const State& state, int group, std::size_t ways) {
    const auto login = [&](int one) {
        return std::tuple(state.host_of_group[static_cast<std::size_t>(one)], static_cast<std::size_t>(one) % ways,
                          place_of(state, one) / iod::link::connections_of_a_login);
    };
    const auto before = std::views::iota(0, group);
    return state.logins.empty() || std::ranges::none_of(before, [&](int one) { return login(one) == login(group); });
}

// ---- step 1: each group's first rank finds the way ----

// Whoever makes a login comes first.
iod::Routed find_way(State& state, const std::vector<iod::Route>& ways, std::optional<iod::Agent>& agent) {
    const auto begin = [&] { return begin_way(route_of_group(state, ways), agent, state.way); };
    const auto begins = [&](int group) { return begins_login(state, group, ways.size()); };
    const bool first = begins(state.group());
    iod::Routed mine;
    if (state.leads() && first) mine = begin();
    if (std::ranges::all_of(std::views::iota(0, state.groups.count()), begins)) return mine;
    base::agree(state.comm, std::nullopt, "rank");
    if (state.leads() && !first) mine = begin();
    return mine;
}

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
                                                     state.ranks_here(), state.way);
        return {};
    } catch (const iod::ConnectionLost& lost) {
        return lost.status();
    } catch (const std::exception& error) {
        return iod::Status::of_exception(error, "the I/O process");
    }
}

// ---- step 3: rank 0 opens or creates the file, then the others open what is there ----

iod::FileOpen question(const State& state, const iod::Opening& opening) {
    iod::FileOpen open{state.path, {}, opening, state.rank == 0};
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
    if (failure && state.rank == 0 && makes_new(state.amode)) (void)state.remote->remove({state.path});
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
    for (int group = 0; group < state.groups.count(); ++group)
        state.host_of_group.push_back(
            base::hosts_of(state.comm).host_of_rank[static_cast<std::size_t>(state.groups.leader(group))]);
    for (iod::Route& route : routes) {
        route.ranks = static_cast<std::uint32_t>(state.ranks_here());
        route.alone = state.groups.count() == 1;
        route.channel = state.parameters.channel;
        route.compresses = state.parameters.compression;
    }
    std::optional<iod::Agent> agent;
    const auto routed = routes_of_groups(state, find_way(state, routes, agent));
    if (auto failure = first_failure(state, routed)) return failure;
    state.channel = routed[static_cast<std::size_t>(state.group())].channel;
    std::optional<Failure> failure = base::agree(state.comm, failure_of(join(state, routed, agent), state.text()), "rank");
    if (!failure) failure = open_file(state, opening);
    if (failure)
        give_up(state);
    else
        state.remote->widen({further_routes(state, routes), routes.size(), question(state, opening)});
    return failure;
}

}  // namespace kumihimo::mpiio::stampi
