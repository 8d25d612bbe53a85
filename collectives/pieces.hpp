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

Pieces divide(const Algorithm& algorithm, const Call& call);
Steps in_pieces(const Algorithm& algorithm, Call call);

}  // namespace kumihimo::collectives
