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

iod::Routed begin_way(const iod::Route& route, std::optional<iod::Agent>& agent) {
    return answer_or_why([&] {
        agent.emplace(iod::Agent::start(fmt::format("the I/O process on the way to {}", route.host)));
        return agent->route(route);
    });
}

}  // namespace kumihimo::mpiio::stampi
