#include "mpiio/engine/stampi/removing.hpp"

#include "iod/client/remote.hpp"
#include "mpiio/engine/failures.hpp"
#include "mpiio/engine/stampi/way.hpp"

namespace kumihimo::mpiio::stampi {

std::optional<Failure> remove_file(const std::string& path) {
    Name name;
    if (auto failure = parse(path, name)) return failure;
    if (is_here(name)) return find_engine("direct")->remove(name.path);
    std::optional<iod::Agent> agent;
    const iod::Routed routed = begin_way(route_to(name), agent);
    if (!routed.status.ok()) return failure_of(routed.status, name.text());
    iod::Remote remote(agent->take_link(), 0);
    const iod::Status removed = remote.remove({name.path});
    remote.leave();
    return failure_of(removed, name.text());
}

}  // namespace kumihimo::mpiio::stampi
