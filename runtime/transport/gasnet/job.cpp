#include "runtime/transport/gasnet/job.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/ending.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"

namespace kumihimo::transport::gasnet {

namespace {

constexpr std::size_t line = 64;

std::size_t rounded(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Job& Job::start(MPI_Comm communicator, gex_AM_Entry_t* handlers, std::size_t count) {
    static Job& job = *new Job(communicator, handlers, count);  // coarrays are given back until the very end
    return job;
}

Job::Job(MPI_Comm, gex_AM_Entry_t* handlers, std::size_t count) {
    const std::size_t wanted =
        rounded(static_cast<std::size_t>(base::setting_number("KUMIHIMO_GASNET_SEGMENT")), GASNET_PAGESIZE);
    setenv("GASNET_SMP_SPAWNER", "mpi", 0);  // the launcher is mpiexec in any case
    setenv("GASNET_MAX_SEGSIZE", std::to_string(wanted).c_str(), 0);
    setenv("GASNET_QUIET", "1", 0);

    static char name[] = "kumihimo";
    static char* arguments[] = {name, nullptr};
    int argument_count = 1;
    char** argument_list = arguments;
    gex_Client_t client{};
    gex_EP_t endpoint{};
    if (gex_Client_Init(&client, &endpoint, &team_, name, &argument_count, &argument_list, 0) != GASNET_OK)
        throw base::Error("GASNet cannot start");
    gex_EP_RegisterHandlers(endpoint, handlers, count);
    base::put_exit_first();  // GASNet would end the process before MPI is finalized, for which Open MPI blames it
    gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK);

    size_ = std::min<std::size_t>(wanted, gasnet_getMaxLocalSegmentSize());
    unsigned long long mine = size_, least = 0;
    MPI_Allreduce(&mine, &least, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
    size_ = static_cast<std::size_t>(least) / GASNET_PAGESIZE * GASNET_PAGESIZE;
    gex_Segment_t segment{};
    if (gex_Segment_Attach(&segment, team_, size_) != GASNET_OK) throw base::Error("GASNet finds no memory for its segment");

    int world = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    numbers_.resize(static_cast<std::size_t>(world));
    segments_.resize(static_cast<std::size_t>(world));
    mapped_.resize(static_cast<std::size_t>(world));
    const std::uint32_t number = gex_TM_QueryRank(team_);
    std::vector<std::uint32_t> all(static_cast<std::size_t>(world));
    MPI_Allgather(&number, 1, MPI_UINT32_T, all.data(), 1, MPI_UINT32_T, MPI_COMM_WORLD);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        numbers_[rank] = all[rank];
        void* owner = nullptr;
        void* local = nullptr;
        uintptr_t bytes = 0;
        gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team_, all[rank], &owner, &local, &bytes, 0));
        segments_[rank] = static_cast<std::byte*>(owner);
        mapped_[rank] = local != nullptr;
    }
}

std::size_t Job::take(std::size_t bytes) {
    std::size_t offset = 0;
    const std::size_t needed = std::max(rounded(bytes, line), line);
    for (const auto& [start, length] : taken_) {
        if (start - offset >= needed) break;
        offset = start + length;
    }
    if (offset + needed > size_)
        throw base::Error(fmt::format("GASNet's segment has no room for {}: it has {} on each image", base::bytes_text(bytes),
                                      base::bytes_text(size_)),
                          "Set KUMIHIMO_GASNET_SEGMENT to more.");
    taken_[offset] = needed;
    return offset;
}

void Job::give_back(std::size_t offset) {
    taken_.erase(offset);
}

}  // namespace kumihimo::transport::gasnet
