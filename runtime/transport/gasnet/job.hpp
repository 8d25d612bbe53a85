// GASNet in this process: it starts once, on all processes, and takes one segment of memory that all regions share.
#pragma once

#include <gasnetex.h>
#include <mpi.h>

#include <cstddef>
#include <map>
#include <vector>

namespace kumihimo::transport::gasnet {

class Job {
public:
    // Collective at first use; throws base::Error on every image. `handlers` are those of this conduit.
    static Job& start(MPI_Comm communicator, gex_AM_Entry_t* handlers, std::size_t count);

    gex_TM_t team() const { return team_; }
    // By number in MPI_COMM_WORLD.
    gex_Rank_t number(int world_rank) const { return numbers_[static_cast<std::size_t>(world_rank)]; }
    std::byte* segment(int world_rank) const { return segments_[static_cast<std::size_t>(world_rank)]; }
    // Whether its segment is mapped here: GASNet then stores and loads itself, and waiting for that costs nothing.
    bool mapped(int world_rank) const { return mapped_[static_cast<std::size_t>(world_rank)]; }

    // The same offset on all images, because all ask alike. Throws base::Error where there is no room.
    std::size_t take(std::size_t bytes);
    void give_back(std::size_t offset);

private:
    Job(MPI_Comm communicator, gex_AM_Entry_t* handlers, std::size_t count);

    gex_TM_t team_{};
    std::vector<gex_Rank_t> numbers_;
    std::vector<std::byte*> segments_;
    std::vector<bool> mapped_;
    std::size_t size_ = 0;
    std::map<std::size_t, std::size_t> taken_;  // offset: bytes
};

}  // namespace kumihimo::transport::gasnet
