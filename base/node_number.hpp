// How messages number nodes, the rule of all rooms: they count as the language of the program's main does.
//
// C counts nodes, images and the subscripts of [ ] from 0 (p[0], xmpc_node_num), Fortran from 1 (p(1), xmp_node_num).
// Subscripts of a node array in a message are those of its declaration: from 0 in [ ], from 1 in ( ). MPI ranks count from 0
// always.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kumihimo::base {

void count_nodes_from(int first);                          // of a Fortran main: 1; before it: 0
int node_number(int rank);                                 // rank: in the entire set, or in that of which the message speaks
std::string member_text(std::string_view noun, int rank);  // "node 2" by the rule, or "rank 2"
std::string nodes_text(const std::vector<int>& ranks);     // "node 2", "nodes 0, 1 and 3"

}  // namespace kumihimo::base
