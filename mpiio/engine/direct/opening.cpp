#include "mpiio/engine/direct/opening.hpp"

#include <fcntl.h>

#include "base/agreement.hpp"
#include "base/wait.hpp"
#include "mpiio/engine/direct/write_behind.hpp"
#include "mpiio/engine/hints.hpp"
#include "mpiio/engine/mode.hpp"

namespace kumihimo::mpiio::direct {

namespace {

// What rank 0 tells the others when it has opened the file, or has not. Plain bytes.
struct Start {
    bool opened;
    Parameters parameters;
    int processors;
    long system_magic;  // one for all ranks, who must decide alike, and asked once: on a network file system it is a message
    SharedPointer::Invitation invitation;
};

int access_flags(int amode) {
    if (!writes(amode)) return O_RDONLY;
    return reads(amode) ? O_RDWR : O_WRONLY;
}

int creation_flags(int amode) {
    return (creates(amode) ? O_CREAT : 0) | (exclusively(amode) ? O_EXCL : 0);
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
    if (auto failed = state.file.open(request.path, flags, static_cast<unsigned>(permissions_of(request.hints)))) return failed;
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
    const bool exists = !creates(request.amode);  // or nobody will open it: no reason to wait for rank 0
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
    if (!failure) state.same_file.enter(state, [](State& other) { (void)flush(other); });  // a failure is kept there
    state.parameters = start.parameters;
    state.processors = start.processors;
    failure = state.agree(failure);
    if (failure) {
        (void)state.file.close();  // the failure to open is what is told
        if (state.rank == 0 && makes_new(request.amode)) (void)remove_file(request.path);
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
    const bool removes = deletes_on_close(state.amode) || !state.shared.by_memory();
    if (!removes) {
        note(state.shared.close(false));
        return mine;  // the caller tells the others
    }
    if (state.rank != 0) note(state.shared.close(false));
    auto failure = base::agree(state.comm, mine, "rank");
    if (state.rank == 0) {  // all others have closed
        mine.reset();
        note(state.shared.close(true));
        if (deletes_on_close(state.amode)) note(remove_file(state.file.path()));
    }
    auto removal = base::agree(state.comm, state.rank == 0 ? mine : std::nullopt, "rank");
    return failure ? failure : removal;
}

}  // namespace kumihimo::mpiio::direct
