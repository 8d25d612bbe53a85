// Whether the pieces that follow each other through a pipeline have found an even pace, each rank its own.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "simulator/machine.hpp"

namespace kumihimo::simulator {

// A rank's last pieces in four runs of equal length, at least half of all. What its pace is, the means of these runs tell:
// where pieces come in waves, a mean hardly sees them, but the first and the last piece of a run lie anywhere in a wave.
class Pace {
public:
    void completed(Time now) {
        sums_[filled_] += now;
        last_ = now;
        ++count_;
        if (++in_run_ < length_) return;
        in_run_ = 0;
        if (++filled_ == sums_.size()) join();
    }
    std::int64_t count() const { return count_; }
    Time last() const { return last_; }
    // Picoseconds for a piece. Precondition: known.
    bool known() const { return filled_ >= runs; }
    double takes() const { return (mean(1) + mean(2) - mean(3) - mean(4)) / (4.0 * static_cast<double>(length_)); }

private:
    static constexpr std::size_t runs = 4;

    // The run that was the `back`th last.
    double mean(std::size_t back) const { return static_cast<double>(sums_[filled_ - back]) / static_cast<double>(length_); }
    void join() {
        for (std::size_t i = 0; i < runs; ++i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
        std::fill(sums_.begin() + runs, sums_.end(), 0);
        filled_ = runs;
        length_ *= 2;
    }

    std::array<Time, 2 * runs> sums_{};  // of times; of the last run, as far as it has come
    std::size_t filled_ = 0;
    std::int64_t length_ = 4, in_run_ = 0, count_ = 0;
    Time last_ = 0;
};

class Paces {
public:
    // pieces: of a rank in all. one_pace: nothing is found unless all ranks go at one pace. Where ranks reduce and some go
    // ahead, what lies in queues changes the order of their work, and the pace.
    Paces(int ranks, double pieces, bool one_pace)
        : pieces_(pieces), one_pace_(one_pace), ranks_(static_cast<std::size_t>(ranks)) {}

    void completed(int rank, Time now) {
        ranks_[static_cast<std::size_t>(rank)].completed(now);
        ++all_;
    }
    // Whether all ranks have found their pace: since half as many pieces were complete, the end that their paces tell has
    // hardly moved. Looks only now and then, as it looks at all ranks.
    bool found() {
        if (all_ < look_at_) return false;
        look_at_ = all_ + std::max<std::int64_t>(all_ / 8, static_cast<std::int64_t>(ranks_.size()));
        if (!std::ranges::all_of(ranks_, &Pace::known)) return false;
        takes_ = paces();
        const auto [least, most] = std::minmax_element(takes_.begin(), takes_.end());
        if (one_pace_ && *most > *least * (1 + 2 * jitter)) return ends_.clear(), false;
        ends_.push_back({all_, end()});
        return is_steady();
    }
    // Picoseconds; what was found last.
    double piece_takes(int rank) const { return takes_[static_cast<std::size_t>(rank)]; }

private:
    static constexpr double tolerance = 0.003, jitter = 0.01;
    struct End {
        std::int64_t all;  // pieces that were complete when this was told
        double time;
    };

    bool is_steady() const {
        auto before = ends_.rbegin();
        double least = before->time, most = before->time;
        for (; before != ends_.rend() && 2 * before->all > all_; ++before) {
            least = std::min(least, before->time);
            most = std::max(most, before->time);
        }
        return before != ends_.rend() && most - least <= tolerance * most;
    }
    // Of the slowest rank.
    double end() const {
        double end = 0;
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
            end = std::max(end, static_cast<double>(ranks_[rank].last()) +
                                    (pieces_ - static_cast<double>(ranks_[rank].count())) * takes_[rank]);
        return end;
    }
    // Ranks that differ by this jitter go at one pace: their mean.
    std::vector<double> paces() const {
        std::vector<std::pair<double, std::size_t>> sorted;
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) sorted.emplace_back(ranks_[rank].takes(), rank);
        std::sort(sorted.begin(), sorted.end());
        std::vector<double> found(sorted.size());
        double sum = 0;
        std::size_t first = 0, last = 0;
        for (const auto& [pace, rank] : sorted) {
            for (; last < sorted.size() && sorted[last].first <= pace * (1 + jitter); ++last) sum += sorted[last].first;
            for (; sorted[first].first < pace * (1 - jitter); ++first) sum -= sorted[first].first;
            found[rank] = sum / static_cast<double>(last - first);
        }
        return found;
    }

    double pieces_;
    bool one_pace_;
    std::vector<Pace> ranks_;
    std::int64_t all_ = 0, look_at_ = 0;
    std::vector<double> takes_;
    std::vector<End> ends_;
};

}  // namespace kumihimo::simulator
