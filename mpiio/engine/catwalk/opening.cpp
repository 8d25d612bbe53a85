#include "mpiio/engine/catwalk/opening.hpp"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <span>

#include "base/attribute.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "base/hosts.hpp"
#include "iod/client/agent.hpp"
#include "iod/link/interfaces.hpp"
#include "iod/link/random_bytes.hpp"
#include "mpiio/engine/catwalk/kept.hpp"
#include "mpiio/engine/exchange.hpp"
#include "mpiio/engine/failures.hpp"
#include "mpiio/engine/mode.hpp"

namespace kumihimo::mpiio::catwalk {

namespace {

// ---- step 0: what rank 0's hints and settings say, and by what this opening is known ----

std::string lines_of(const Hints& hints) {
    std::string lines;
    for (const auto& [name, value] : hints) lines += name + "=" + value + "\n";
    return lines;
}

Hints hints_in(const std::string& lines) {
    Hints hints;
    for (std::size_t begin = 0, end; (end = lines.find('\n', begin)) != std::string::npos; begin = end + 1) {
        const std::string line = lines.substr(begin, end - begin);
        const std::size_t sign = line.find('=');
        hints[line.substr(0, sign)] = line.substr(sign + 1);
    }
    return hints;
}

void share_parameters(State& state, const Hints& hints) {
    std::string told;
    if (state.rank == 0) {
        Parameters mine = default_parameters();
        apply_hints(hints, mine);
        const iod::Opening opened = iod::process::random_name();
        told.assign(reinterpret_cast<const char*>(opened.data()), opened.size());
        told += lines_of(as_hints(mine));
    }
    const iod::Payload all = broadcast(state.comm, iod::Payload(std::as_bytes(std::span(told))));
    told.assign(reinterpret_cast<const char*>(all.data()), all.size());
    std::memcpy(state.opened.data(), told.data(), sizeof(iod::Opening));
    apply_hints(hints_in(told.substr(sizeof(iod::Opening))), state.parameters);
}

// ---- step 1: the leaders' agents open the file ----

iod::OpenMode mode_of(const State& state) {
    iod::OpenMode mode;
    mode.read = reads(state.amode);
    mode.write = writes(state.amode);
    mode.create = creates(state.amode);
    mode.exclusive = exclusively(state.amode);
    mode.delete_on_close = deletes_on_close(state.amode);
    mode.permissions = static_cast<std::uint32_t>(state.parameters.permissions);
    return mode;
}

std::vector<Tree> trees_of(const State& state) {
    std::vector<Tree> trees;
    const auto topology = static_cast<iod::Topology>(state.parameters.topology);
    for (int server = 0; server < static_cast<int>(state.servers()); ++server)
        trees.emplace_back(topology, state.hosts.count(), server, static_cast<int>(state.servers()));
    return trees;
}

std::string absolute(const std::string& path) {
    return path.empty() ? "" : std::filesystem::absolute(path).string();
}

// ---- from where agents of other machines will connect ----

// The addresses of each leader's machine, by rank: found once for each communicator.
using Addresses = std::vector<std::vector<std::string>>;

std::vector<std::string> lines_in(const iod::Payload& text) {
    std::vector<std::string> lines(1);
    for (const std::byte byte : text)
        if (static_cast<char>(byte) == '\n')
            lines.emplace_back();
        else
            lines.back() += static_cast<char>(byte);
    lines.pop_back();
    return lines;
}

const Addresses& addresses_of(const State& state) {
    using Kept = base::Attribute<Addresses>;
    if (const Addresses* const known = Kept::of(state.comm)) return *known;
    std::string mine;
    if (state.leads())
        for (const std::string& address : iod::own_address_texts()) mine += address + "\n";
    auto found = std::make_unique<Addresses>();
    const iod::Payload sent(std::as_bytes(std::span(mine)));
    for (const iod::Payload& text : gather_all(state.comm, sent)) found->push_back(lines_in(text));
    return Kept::keep(state.comm, std::move(found));
}

// Collective where there are several machines. Machines' own addresses are no way to others.
std::vector<std::string> neighbours_of(const State& state, const std::vector<Tree>& trees) {
    if (state.hosts.one_machine) return {};
    const Addresses& addresses = addresses_of(state);
    std::set<std::string> neighbours;
    for (const Tree& tree : trees)
        for (const int child : tree.children(state.host())) {
            const auto& theirs = addresses[static_cast<std::size_t>(state.hosts.leader(child))];
            neighbours.insert(theirs.begin(), theirs.end());
        }
    return {neighbours.begin(), neighbours.end()};
}

iod::Open question(const State& state, const std::vector<Tree>& trees, const std::vector<std::string>& neighbours) {
    iod::Open open;
    // The agent stands in another directory.
    open.path = absolute(state.path);
    open.mode = mode_of(state);
    open.host = static_cast<std::uint32_t>(state.host());
    open.hosts = static_cast<std::uint32_t>(state.hosts.count());
    open.servers = state.servers();
    open.ranks_here = static_cast<std::uint32_t>(state.hosts.ranks[static_cast<std::size_t>(state.host())].size());
    for (const Tree& tree : trees) open.children.push_back(static_cast<std::uint32_t>(tree.children(state.host()).size()));
    open.options = options_of(state.parameters);
    open.options.journal_directory = absolute(open.options.journal_directory);
    open.opened = state.opened;
    open.one_machine = state.hosts.one_machine;
    open.neighbours = neighbours;
    return open;
}

std::string name_of_agent(const State& state) {
    return fmt::format("the I/O process of host {}", state.host());
}

// By the agent of an earlier file, if it is still there.
std::optional<iod::Opened> open_at_known(const State& state, const iod::Open& open, std::optional<iod::Agent>& agent) {
    std::optional<iod::Link> kept = links().to_any();
    if (!kept) return std::nullopt;
    agent.emplace(std::move(*kept), name_of_agent(state));
    try {
        return agent->open(open);
    } catch (const iod::ConnectionLost& lost) {
        if (lost.status().code != iod::Code::lost_process) throw;
        return std::nullopt;  // it has ended in this moment
    }
}

iod::Opened open_at_agent(const State& state, const std::vector<Tree>& trees, const std::vector<std::string>& neighbours,
                          std::optional<iod::Agent>& agent) {
    return answer_or_why([&] {
        const iod::Open open = question(state, trees, neighbours);
        if (auto opened = open_at_known(state, open, agent)) return *opened;
        agent.emplace(iod::Agent::start(name_of_agent(state)));
        return agent->open(open);
    });
}

// ---- step 2: what the agents answered, by host ----

std::vector<iod::Opened> exchange(const State& state, const iod::Opened& mine) {
    if (state.hosts.count() == 1) return {iod::decode<iod::Opened>(broadcast(state.comm, encode(mine)))};
    const auto told = gather_all(state.comm, state.leads() ? encode(mine) : iod::Payload{});
    std::vector<iod::Opened> opened;
    for (int host = 0; host < state.hosts.count(); ++host)
        opened.push_back(iod::decode<iod::Opened>(told[static_cast<std::size_t>(state.hosts.leader(host))]));
    return opened;
}

std::optional<Failure> first_failure(const State& state, const std::vector<iod::Opened>& opened) {
    for (int host = 0; host < state.hosts.count(); ++host)
        if (auto failure = failure_of(opened[static_cast<std::size_t>(host)].status, state.path)) {
            failure->text = fmt::format("rank {}: {}", state.hosts.leader(host), failure->text);
            return failure;
        }
    return std::nullopt;
}

// ---- step 3: agents connect to their parents, ranks to their agents ----

iod::Attach parents_of(const State& state, const std::vector<Tree>& trees, const std::vector<iod::Opened>& opened) {
    iod::Attach attach;
    for (std::size_t server = 0; server < trees.size(); ++server) {
        iod::Parent& parent = attach.parents.emplace_back();
        parent.server_here = trees[server].root() == state.host();
        if (parent.server_here) continue;
        const iod::Opened& answer = opened[static_cast<std::size_t>(trees[server].parent(state.host()))];
        parent.addresses = answer.addresses;
        parent.session = answer.session;
        parent.token =
            answer.child_tokens.at(server).at(static_cast<std::size_t>(trees[server].place_among_children(state.host())));
    }
    return attach;
}

// The connection that is left from an earlier file, or a new one.
iod::Link connect(const State& state, const iod::Opened& opened) {
    if (std::optional<iod::Link> kept = links().to(opened.local_address)) {
        kept->connection.name_peer(name_of_agent(state));
        return std::move(*kept);
    }
    auto connection = iod::Connection::to(opened.local_address, name_of_agent(state));
    const auto place = static_cast<std::size_t>(state.hosts.place_in_group(state.rank));
    connection.greet(fmt::format("rank {}", state.rank), opened.rank_tokens.at(place - 1));
    return {nullptr, std::move(connection), opened.local_address};
}

// What became of a step, as a status whatever was thrown.
template <typename Step>
iod::Status attempt(Step&& step) {
    try {
        return step();
    } catch (const iod::ConnectionLost& lost) {
        return lost.status();
    } catch (const base::Error& error) {
        return {iod::Code::out_of_memory, error.what(), {}};
    } catch (const std::out_of_range&) {
        return {iod::Code::bad_request, "an I/O process gave out too few tokens", {}};
    } catch (const std::exception& error) {
        return iod::Status::of_exception(error, "the I/O process");
    }
}

// Which way is faster is the engine's to decide only if nobody else has.
bool passes_by(const State& state) {
    const bool chooses = static_cast<iod::Method>(state.parameters.method) == iod::Method::automatic;
    return chooses && mode_of(state).write && state.servers() == 1 && state.host() == 0;
}

// A leader's request to attach goes before its own to join; the others' wait at the agent for it.
iod::Status join(State& state, const std::vector<Tree>& trees, const std::vector<iod::Opened>& opened,
                 std::optional<iod::Agent>& agent) {
    return attempt([&] {
        const iod::Opened& here = opened[static_cast<std::size_t>(state.host())];
        if (agent) agent->attach(here.session, parents_of(state, trees, opened));
        iod::Link link = agent ? agent->take_link() : connect(state, here);
        state.session = std::make_unique<iod::Session>(std::move(link), here.session, static_cast<std::uint32_t>(state.rank),
                                                       static_cast<std::size_t>(state.parameters.ring));
        if (passes_by(state))
            state.session->let_by(std::make_unique<iod::Bypass>(
                absolute(state.path), static_cast<std::size_t>(state.parameters.direct_from), state.parameters.durable != 0));
        return iod::Status{};
    });
}

// The agents learn that a file which not all could open is not needed. They may open others.
void give_up(const iod::Opened& here, iod::Agent& agent) {
    (void)attempt([&] {
        if (here.status.ok()) agent.abandon(here.session);
        links().keep(agent.take_link());
        return iod::Status{};
    });
}

// A file that this open has made exclusively is not left behind by its failure.
void undo(const State& state, const std::vector<iod::Opened>& opened) {
    if (state.rank == 0 && makes_new(state.amode) && opened.front().status.ok()) ::unlink(state.path.c_str());
}

}  // namespace

std::optional<Failure> open_together(State& state, const OpenRequest& request) {
    state.comm = request.comm;
    state.path = request.path;
    state.amode = request.amode;
    MPI_Comm_rank(state.comm, &state.rank);
    MPI_Comm_size(state.comm, &state.ranks);
    share_parameters(state, request.hints);
    state.hosts = groups_of(base::hosts_of(state.comm).host_of_rank, static_cast<int>(state.parameters.groups_of_machine));
    state.parameters.servers = std::min<Index>(state.parameters.servers, state.hosts.count());
    const std::vector<Tree> trees = trees_of(state);
    const std::vector<std::string> neighbours = neighbours_of(state, trees);
    std::optional<iod::Agent> agent;
    const auto opened = exchange(state, state.leads() ? open_at_agent(state, trees, neighbours, agent) : iod::Opened{});
    std::optional<Failure> failure = first_failure(state, opened);
    if (failure && agent) give_up(opened[static_cast<std::size_t>(state.host())], *agent);
    if (!failure) failure = base::agree(state.comm, failure_of(join(state, trees, opened, agent), state.path), "rank");
    if (!failure) return std::nullopt;
    state.session.reset();
    undo(state, opened);
    return failure;
}

}  // namespace kumihimo::mpiio::catwalk
