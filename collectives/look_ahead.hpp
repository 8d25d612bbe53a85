// How many steps ahead a runner must look so that a pipeline is as fast as with all of its steps in view.
#pragma once

#include <cstddef>

#include "collectives/algorithms.hpp"

namespace kumihimo::collectives {

// Of pieces that only go down or up the trees.
std::size_t view_one_way(const Algorithm& algorithm, const Call& call);
// Of pieces that go up the trees and come back.
std::size_t view_there_and_back(const Algorithm& algorithm, const Call& call);
// Of pieces that go to the leaders of hosts, to other hosts and back.
std::size_t view_of_hosts(const Algorithm& algorithm, const Call& call);
// Of the rounds that an exchange between all pairs has under way.
std::size_t view_of_rounds(const Algorithm& algorithm, const Call& call);
// Of the streams of Scatter and Gather.
std::size_t view_of_streams(const Algorithm& algorithm, const Call& call);

}  // namespace kumihimo::collectives
