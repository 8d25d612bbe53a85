#include "mpiio/engine/direct/opening.hpp"

#include <fcntl.h>

#include <cstdlib>

#include "base/agreement.hpp"
#include "base/wait.hpp"

namespace kumihimo::mpiio::direct {

namespace {

constexpr unsigned default_permissions = 0666;  // less the umask

// What rank 0 tells the others when it has opened the file, or has not. Plain bytes.
struct Start {
    bool opened;
    Parameters parameters;
    int processors;
    long system_magic;  // one for all ranks, who must decide alike, and asked once: on a network file system it is a message
    SharedPointer::Invitation invitation;
};

int access_flags(int amode) {
    if (amode & MPI_MODE_RDWR) return O_RDWR;
    return amode & MPI_MODE_WRONLY ? O_WRONLY : O_RDONLY;
}

int creation_flags(int amode) {
    return (amode & MPI_MODE_CREATE ? O_CREAT : 0) | (amode & MPI_MODE_EXCL ? O_EXCL : 0);
}

// The reserved hint file_perm: octal, as of chmod.
unsigned permissions(const Hints& hints) {
    const auto found = hints.find("file_perm");
    if (found == hints.end()) return default_permissions;
    char* rest = nullptr;
    const unsigned long value = std::strtoul(found->second.c_str(), &rest, 8);
    return rest != found->second.c_str() && *rest == '\0' && value <= 0777 ? static_cast<unsigned>(value) : default_permissions;
}

Parameters parameters_of(const Hints& hints) {
    Parameters parameters = default_parameters();
    apply(hints, parameters);
    int processes = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    parameters.behind_asked |= processes == 1;  // nobody else could miss what waits
    return parameters;
}

std::optional<Failure> open_first(State& state, const OpenRequest& request, Start& start) {
    start.parameters = parameters_of(request.hints);
    const int flags = access_flags(request.amode) | creation_flags(request.amode);
    if (auto failed = state.file.open(request.path, flags, permissions(request.hints))) return failed;
    start.processors = base::processors_online();
    start.system_magic = state.file.system_magic();
    start.invitation = state.shared.invite(*state.team, request.path);
    return std::nullopt;
}

}  // namespace

std::optional<Failure> open_together(State& state, const OpenRequest& request) {
    state.comm = request.comm;
    state.team = &Team::of(request.comm);
    state.amode = request.amode;
    MPI_Comm_rank(state.comm, &state.rank);
    MPI_Comm_size(state.comm, &state.ranks);
    Start start = {};
    std::optional<Failure> failure;
    const auto open_existing = [&] { return state.file.open(request.path, access_flags(request.amode), default_permissions); };
    const bool exists = (request.amode & MPI_MODE_CREATE) == 0;  // or nobody will open it: no reason to wait for rank 0
    if (state.rank == 0) failure = open_first(state, request, start);
    if (state.rank != 0 && exists) failure = open_existing();
    start.opened = !failure;
    state.team->broadcast(0, start);
    if (!start.opened) {
        (void)state.file.close();
        return base::broadcast_failure(state.comm, 0, failure, "rank");
    }
    if (state.rank != 0 && !exists) failure = open_existing();
    if (state.rank != 0) state.shared.accept(*state.team, request.path, start.invitation);
    if (!failure) state.same_file.enter(state);
    state.parameters = start.parameters;
    state.processors = start.processors;
    failure = state.agree(failure);
    if (failure) {
        (void)state.file.close();  // the failure to open is what is told
        const bool made_here = (request.amode & MPI_MODE_CREATE) != 0 && (request.amode & MPI_MODE_EXCL) != 0;
        if (state.rank == 0 && made_here) (void)remove_file(request.path);
        return failure;
    }
    state.system = &file_system(start.system_magic);
    state.size_log();
    return std::nullopt;
}

std::optional<Failure> close_together(State& state) {
    state.same_file.leave();
    std::optional<Failure> mine;
    const auto note = [&](std::optional<Failure> failed) {
        if (failed && !mine) mine = std::move(failed);
    };
    note(state.file.close());
    const bool removes = (state.amode & MPI_MODE_DELETE_ON_CLOSE) != 0 || !state.shared.by_memory();
    if (!removes) {
        note(state.shared.close(false));
        return mine;  // the caller tells the others
    }
    if (state.rank != 0) note(state.shared.close(false));
    auto failure = base::agree(state.comm, mine, "rank");
    if (state.rank == 0) {  // all others have closed
        mine.reset();
        note(state.shared.close(true));
        if (state.amode & MPI_MODE_DELETE_ON_CLOSE) note(remove_file(state.file.path()));
    }
    auto removal = base::agree(state.comm, state.rank == 0 ? mine : std::nullopt, "rank");
    return failure ? failure : removal;
}

}  // namespace kumihimo::mpiio::direct
