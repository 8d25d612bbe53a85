#include "mpiio/engine/stampi/engine.hpp"

#include "mpiio/engine/stampi/file.hpp"
#include "mpiio/engine/stampi/removing.hpp"
#include "mpiio/engine/stampi/way.hpp"

namespace kumihimo::mpiio::stampi {

namespace {

// Local or remote is decided by the host in the name, as it looks from rank 0.
std::unique_ptr<EngineFile> open(const OpenRequest& request, std::optional<Failure>& failure) {
    Target target;
    failure = base::agree(request.comm, find(request.path, target), "rank");
    if (failure) return nullptr;
    int here = target.machine.is_this() ? 1 : 0;
    MPI_Bcast(&here, 1, MPI_INT, 0, request.comm);
    const std::string path = path_here(target.machine, target.name);
    if (here != 0) return find_engine("direct")->open({request.comm, path, request.amode, request.hints}, failure);
    auto file = std::make_unique<StampiFile>();
    failure = file->open(request, target);
    if (failure) return nullptr;
    return file;
}

}  // namespace

constinit const Engine engine = {"stampi", "Files of another machine, named stampi://[user@]host[:port]/path, through ssh.",
                                 open, remove_file, true};

}  // namespace kumihimo::mpiio::stampi
