// Messages from each executing node to each other, of lengths that only the sender knows: what gather, scatter and sort need,
// where no layout says what goes where.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "runtime/teams/team.hpp"
#include "sets/range.hpp"

namespace kumihimo::arrays {

using sets::Index;
using teams::Team;

// Elements of the members lie one after the other, in the order of the members.
class Exchange {
public:
    Exchange(Team& team, std::vector<Index> outgoing);  // collective: how many elements go to each member
    Index received() const;                             // elements that come
    const std::vector<Index>& incoming() const { return incoming_; }

    void forward(const void* from, void* to, std::size_t element_bytes) const;  // collective
    void back(const void* from, void* to, std::size_t element_bytes) const;     // for each element that came, one in return

private:
    void move(const std::vector<Index>& sizes_out, const void* from, const std::vector<Index>& sizes_in, void* to,
              std::size_t element_bytes) const;

    Team& team_;
    std::vector<Index> outgoing_, incoming_;
};

// What each member has, in the order of the members. Collective.
template <typename T>
std::vector<T> gather_all(Team& team, const std::vector<T>& mine) {  // as many of each
    std::vector<T> all(mine.size() * static_cast<std::size_t>(team.size()));
    team.gather(mine.data(), mine.size() * sizeof(T), all.data());
    return all;
}

}  // namespace kumihimo::arrays
