#include "mpiio/engine/stampi/removing.hpp"

#include "iod/client/remote.hpp"
#include "iod/link/logins.hpp"
#include "mpiio/engine/failures.hpp"
#include "mpiio/engine/stampi/hints.hpp"
#include "mpiio/engine/stampi/way.hpp"

namespace kumihimo::mpiio::stampi {

std::optional<Failure> remove_file(const std::string& path) {
    Target target;
    if (auto failure = find(path, target)) return failure;
    const auto& [name, machine] = target;
    if (machine.is_this()) return find_engine("direct")->remove(path_here(machine, name));
    std::optional<iod::Agent> agent;
    iod::WayThere way;
    iod::Route route = iod::way::route_to(machine);
    if (default_parameters().one_login) iod::link::share_login(route.command, iod::link::logins_of_job(route.command), 0, 0);
    const iod::Routed routed = begin_way(route, agent, way);
    if (!routed.status.ok()) return failure_of(routed.status, name.text());
    iod::Remote remote(agent->take_link(), 0);
    const iod::Status removed = remote.remove({name.path});
    remote.leave();
    return failure_of(removed, name.text());
}

}  // namespace kumihimo::mpiio::stampi
