// What one region has under way: members whose library does not keep the order of puts ask here whether a new access meets an
// older one, and which images a fence must wait for. A few extents for each image; beyond them their hull.
#pragma once

#include <cstddef>
#include <vector>

#include "sets/correspondence.hpp"

namespace kumihimo::transport {

class Pending {
public:
    // Bytes [first, end) of an image's block. kind: accesses of the same kind above 0 may meet each other (accumulates with one
    // operation and type).
    struct Access {
        std::ptrdiff_t first, end;
        int kind;
    };

    bool empty() const { return dirty_.empty(); }
    bool meets(int rank, const Access& access) const;
    void add(int rank, const Access& access);
    void done(int rank);
    void all_done();
    const std::vector<int>& dirty() const { return dirty_; }  // images with something under way

private:
    std::vector<std::vector<Access>> of_rank_;
    std::vector<int> dirty_;
};

// The bytes that a put (or a run) touches at `offset` of an image's block.
Pending::Access access_of(std::size_t offset, const sets::Correspondence& put, int kind);
inline Pending::Access run_at(std::size_t offset, std::size_t bytes) {
    return {static_cast<std::ptrdiff_t>(offset), static_cast<std::ptrdiff_t>(offset + bytes), 0};
}

}  // namespace kumihimo::transport
