#include "mpiio/engine/catwalk/engine.hpp"

#include "mpiio/engine/catwalk/file.hpp"
#include "mpiio/engine/catwalk/removing.hpp"

namespace kumihimo::mpiio::catwalk {

namespace {

std::unique_ptr<EngineFile> open(const OpenRequest& request, std::optional<Failure>& failure) {
    auto file = std::make_unique<CatwalkFile>();
    failure = file->open(request);
    if (failure) return nullptr;
    return file;
}

}  // namespace

constinit const Engine engine = {
    "catwalk", "Writes pass through I/O processes of the hosts, which put them in order before the disk sees them.", open,
    remove_file};

}  // namespace kumihimo::mpiio::catwalk
