// For programs compiled with --check: do all nodes of a set come to the same directive, with the same arguments?
#pragma once

#include <string>

#include "runtime/execution/objects.hpp"

namespace kumihimo::globalview {

// Collective over the set: tells the others what this node is about to do, in words that are equal on all of them ("bcast of
// 8 bytes from node 1"). Throws base::Error, on all of them, with the place and the words of each.
void compare_calls(const execution::NodeSetPointer& set, const XMP_Site* site, const std::string& words);

// The same where something is checked, before a directive communicates; words: a function, called only then.
template <typename Words>
void expect_same(const execution::NodeSetPointer& set, const XMP_Site* site, Words&& words) {
    if (execution::checking && site != nullptr && set->size() > 1) compare_calls(set, site, words());
}

// ---- words ----
std::string reduction_words(int operation, int type, std::size_t count);
std::string side_words(const XMP_Side& side);
std::string width_words(const XMP_Width* widths, int rank);

}  // namespace kumihimo::globalview
