// What the pieces take that follow each other through a pipeline, and were left out.
//
// Ranks take pieces at different paces: the root's neighbours run ahead, since messages wait at their receivers. When they are
// done, others share links and processors with fewer, and their pace changes. Where queues grow in proportion to the pieces,
// such changes come later in proportion, too: a rank takes begin + pieces x slope, of however many pieces. From half as many as
// are simulated, the begin is known; from their end, the slope. Where no rank runs farther ahead, since it has so many steps in
// view and no more, what changes at the end is the same however many pieces there are. How the lead of the fastest rank has
// grown tells how much is of either kind.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "simulator/machine.hpp"

namespace kumihimo::simulator {

// A rank's last pieces in four runs of equal length, at least half of all. What its pace is, the means of these runs tell:
// where pieces come in waves, a mean hardly sees them, but the first and the last piece of a run lie anywhere in a wave.
class Pace {
public:
    void completed(Time now) {
        sums_[filled_] += now;
        if (++in_run_ < length_) return;
        in_run_ = 0;
        if (++filled_ == sums_.size()) join();
    }
    double pieces() const { return static_cast<double>(static_cast<std::int64_t>(filled_) * length_ + in_run_); }
    // Picoseconds for a piece. Precondition: known.
    bool known() const { return filled_ >= runs; }
    double takes() const { return (mean(1) + mean(2) - mean(3) - mean(4)) / (4.0 * static_cast<double>(length_)); }
    // When a rank would have begun that always went at this pace.
    double began() const {
        const double middle = static_cast<double>(static_cast<std::int64_t>(filled_ - 2) * length_) + 0.5;
        return (mean(1) + mean(2) + mean(3) + mean(4)) / 4 - takes() * middle;
    }

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
    std::int64_t length_ = 4, in_run_ = 0;
};

class Paces {
public:
    // pieces: of a rank in all.
    Paces(int ranks, double pieces) : pieces_(pieces), ranks_(static_cast<std::size_t>(ranks)) {}

    void completed(int rank, Time now) {
        ranks_[static_cast<std::size_t>(rank)].completed(now);
        ++all_;
    }
    // How well the rest follows from so many pieces. Not at all before they have doubled since all ranks had a pace. Well, once
    // begins have not moved meanwhile by what would matter; nor do some pieces more or less at the end. Looks only now and
    // then, as it looks at all ranks.
    enum class Follows : std::uint8_t { no, roughly, well };
    Follows follows(double pieces) {
        if (all_ < look_at_) return Follows::no;
        look_at_ = all_ + std::max<std::int64_t>(all_ / 8, static_cast<std::int64_t>(ranks_.size()));
        if (!std::ranges::all_of(ranks_, &Pace::known)) return Follows::no;
        while (looks_.size() > 1 && 2 * looks_[1].all <= all_) looks_.pop_front();
        Look now;
        now.all = all_;
        std::vector<double> completed;
        double end = 0;
        for (const Pace& rank : ranks_) {
            completed.push_back(rank.pieces());
            now.began.push_back(rank.began());
            now.takes.push_back(rank.takes());
            end = std::max(end, now.began.back() + pieces_ * rank.takes());
        }
        now.lead = *std::ranges::max_element(completed) - *std::ranges::min_element(completed);
        looks_.push_back(std::move(now));
        if (2 * looks_.front().all > all_) return Follows::no;
        moved_ = moved(completed) / pieces;
        const double left = pieces_ - pieces;
        const bool well = left / pieces * waves <= tolerance * pieces_ && left * moved_ <= tolerance * end;
        return well ? Follows::well : Follows::roughly;
    }
    // What one piece takes of those that were left out.
    struct Takes {
        std::vector<double> of_ranks;  // picoseconds
        // So far the slowest rank's may be off: as begins have moved, and from its pace before ranks were done.
        double off = 0;
        bool changed = false;  // so much that a little error in when paces did would matter
    };
    // Of ranks that took so long for so many pieces.
    Takes take(const std::vector<Time>& took, double pieces) const {
        const std::vector<double>& before = looks_.back().takes;
        const double grows = lead_grows();
        std::vector<double> mean, found;  // of a rank's pieces since its begin; of those that are left out
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            mean.push_back((static_cast<double>(took[rank]) - looks_.back().began[rank]) / pieces);
            found.push_back(before[rank] + grows * (mean.back() - before[rank]));
        }
        const std::vector<double> how_far(took.begin(), took.end());
        mean = alike(how_far, mean);
        const double most = *std::ranges::max_element(mean), change = std::abs(most - *std::ranges::max_element(before));
        return {alike(how_far, found), moved_ + change, change > most_change * most};
    }

private:
    static constexpr double tolerance = 0.003, waves = 8, most_change = 0.05;
    struct Look {
        std::int64_t all = 0;              // pieces that were complete
        double lead = 0;                   // so many pieces the fastest rank was ahead of the slowest one
        std::vector<double> began, takes;  // of each rank
    };

    // Which share of the fastest rank's lead is in proportion to the pieces. The rest is as it is however many there are, since
    // ranks look ahead so far and no farther; and so is what slow ranks gain once fast ones are done.
    double lead_grows() const {
        const Look &first = looks_.front(), &last = looks_.back();
        if (first.all == last.all || last.lead <= 0) return 1;
        const double pieces = static_cast<double>(last.all) / static_cast<double>(last.all - first.all);
        return std::clamp((last.lead - first.lead) * pieces / last.lead, 0.0, 1.0);
    }

    // The most by which begins have, since the first look; of ranks that are equally far.
    double moved(const std::vector<double>& completed) const {
        double most = 0;
        for (const Look& before : looks_) {
            std::vector<double> moves = looks_.back().began;
            for (std::size_t rank = 0; rank < ranks_.size(); ++rank) moves[rank] -= before.began[rank];
            for (const double move : alike(completed, moves)) most = std::max(most, std::abs(move));
        }
        return most;
    }
    // The mean value of those ranks that are as far, but for 1 %: of a single one it is told badly.
    static std::vector<double> alike(const std::vector<double>& how_far, const std::vector<double>& values) {
        std::vector<std::pair<double, std::size_t>> sorted;
        for (std::size_t rank = 0; rank < how_far.size(); ++rank) sorted.emplace_back(how_far[rank], rank);
        std::sort(sorted.begin(), sorted.end());
        std::vector<double> means(sorted.size());
        double sum = 0;
        std::size_t first = 0, last = 0;
        for (const auto& [place, rank] : sorted) {
            for (; last < sorted.size() && sorted[last].first <= place * 1.01; ++last) sum += values[sorted[last].second];
            for (; sorted[first].first < place * 0.99; ++first) sum -= values[sorted[first].second];
            means[rank] = sum / static_cast<double>(last - first);
        }
        return means;
    }

    double pieces_;
    std::vector<Pace> ranks_;
    std::int64_t all_ = 0, look_at_ = 0;
    double moved_ = 0;        // picoseconds for a piece, as begins have moved
    std::deque<Look> looks_;  // the first one when at most half of the present pieces were complete
};

}  // namespace kumihimo::simulator
