// Who sends records to a stage, and how far each is with a drain: the ranks of this host, and the hosts behind it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod {

class Sources {
public:
    static constexpr int ranks_here = -1;
    static constexpr Offset everything = std::numeric_limits<Offset>::max();

    explicit Sources(int children) : all_(static_cast<std::size_t>(children) + 1) {}

    void arrived(int source, Offset offset);
    void drain(int source, std::uint64_t epoch);
    void lose(int source);

    bool draining() const { return epoch_ > completed_; }
    bool all_drained() const;  // all that belongs to the drain has arrived
    // Sources that still drain send nothing before this offset any more: during a drain each sends ascending records. A guess,
    // which costs a seek where it is wrong: a full buffer may have made one of them begin anew.
    Offset horizon() const;
    std::uint64_t complete();  // the drain's epoch; until the next one

private:
    struct Source {
        std::uint64_t epoch = 0;
        bool lost = false;
        Offset reached = 0;  // during this drain
    };
    Source& at(int source) { return all_.at(static_cast<std::size_t>(source + 1)); }
    bool has_drained(const Source& source) const { return source.lost || source.epoch >= epoch_; }

    std::vector<Source> all_;  // the ranks here, then the children
    std::uint64_t epoch_ = 0, completed_ = 0;
};

}  // namespace kumihimo::iod
