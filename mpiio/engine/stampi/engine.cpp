#include "mpiio/engine/stampi/engine.hpp"

#include "mpiio/engine/stampi/file.hpp"
#include "mpiio/engine/stampi/name.hpp"
#include "mpiio/engine/stampi/removing.hpp"

namespace kumihimo::mpiio::stampi {

namespace {

// Local or remote is decided by the host in the name, as it looks from rank 0.
std::unique_ptr<EngineFile> open(const OpenRequest& request, std::optional<Failure>& failure) {
    Name name;
    failure = base::agree(request.comm, parse(request.path, name), "rank");
    if (failure) return nullptr;
    int here = is_here(name) ? 1 : 0;
    MPI_Bcast(&here, 1, MPI_INT, 0, request.comm);
    if (here != 0) return find_engine("direct")->open({request.comm, name.path, request.amode, request.hints}, failure);
    auto file = std::make_unique<StampiFile>();
    failure = file->open(request, name);
    if (failure) return nullptr;
    return file;
}

}  // namespace

constinit const Engine engine = {"stampi", "Files of another machine, named stampi://[user@]host[:port]/path, through ssh.",
                                 open, remove_file, true};

}  // namespace kumihimo::mpiio::stampi
