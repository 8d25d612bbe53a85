// How an algorithm's vector is divided: into parts that travel on different trees, each into pieces that follow each other,
// with as many pieces at work at the same time as there is work space for.
#pragma once

#include "collectives/algorithms.hpp"

namespace kumihimo::collectives {

struct Pieces {
    Bytes piece_bytes = 0;  // of each but the last of a part
    int count = 0;          // in the longest part
    int slots = 0;          // pieces that have work space; piece number i takes slot i % slots
    Bytes slot_bytes = 0;
};

// Pieces of each part that a rank has under way at the same time where pieces only go up trees or down: it passes one on while
// the next one comes. Near the root of one tree and far from that of another it has passed on as many of the one, before the
// same piece of the other comes, as that has farther to go.
Bytes pieces_under_way(const Call& call, int parts);
Pieces divide(const Algorithm& algorithm, const Call& call);
Steps in_pieces(const Algorithm& algorithm, Call call);

}  // namespace kumihimo::collectives
