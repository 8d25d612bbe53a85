#include "mpiio/engine/stampi/way.hpp"

#include "base/error.hpp"
#include "base/format.hpp"
#include "mpiio/engine/failures.hpp"

namespace kumihimo::mpiio::stampi {

std::optional<Failure> find(const std::string& path, Target& target) {
    if (auto failure = failure_of(iod::way::parse(path, target.name), "stampi:" + path)) return failure;
    try {
        target.machine = iod::way::machine_of(target.name);
        return std::nullopt;
    } catch (const base::Error& error) {
        return Failure{MPI_ERR_BAD_FILE, fmt::format("'{}': {}", target.name.text(), error.what()), 0};
    }
}

iod::Routed begin_way(iod::Route route, std::optional<iod::Agent>& agent, iod::WayThere& way) {
    return answer_or_why([&] {
        way = iod::LostWays::of_process().prepare(route);
        agent.emplace(iod::Agent::start(fmt::format("the I/O process on the way to {}", route.host)));
        iod::Routed routed = agent->route(route);
        if (routed.status.ok()) iod::LostWays::of_process().ended(route);
        return routed;
    });
}

}  // namespace kumihimo::mpiio::stampi
