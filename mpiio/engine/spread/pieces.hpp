// Which bytes of a transfer lie in which file.
#pragma once

#include <utility>
#include <vector>

#include "iod/way/metafile.hpp"
#include "mpiio/engine/access.hpp"

namespace kumihimo::mpiio::spread {

namespace way = iod::way;

struct Pieces {
    std::vector<std::pair<Index, Index>> places;  // of the file: offset, length; ascending
    std::vector<std::pair<Index, Index>> rows;    // the same bytes in the stream: position, length
    Index bytes = 0;
    View view() const;
};

// For each file: of stream bytes [begin, end) of the view, positions counted from begin.
std::vector<Pieces> pieces_of(const way::Spread& spread, const View& view, Index begin, Index end);

}  // namespace kumihimo::mpiio::spread
