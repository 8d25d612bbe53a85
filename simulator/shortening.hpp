// What of a long run need not be simulated, because it repeats itself. Two ways, by the kind of schedule (programs.hpp,
// Course):
// - Pieces that follow each other through a pipeline: once all ranks take them at an even pace, each at its own, the schedules
//   are cut to those pieces that some rank has begun, and each rank's pace tells what the rest would take.
// - Exchanges with all ranks in rounds: some windows of rounds are simulated, evenly spread, one right after the other; their
//   mean stands for all rounds, and how they differ tells how far it may be off.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "simulator/machine.hpp"

namespace kumihimo::simulator {

// When ranks completed their last pieces, and at which pace.
class Paces {
public:
    // one_pace: nothing is found unless all ranks go at one pace. Where ranks reduce and some go ahead, what lies in queues
    // changes the order of their work, and the pace.
    Paces(int ranks, bool one_pace) : one_pace_(one_pace), times_(at(ranks) * kept), counts_(at(ranks)) {}

    void completed(int rank, Time now) {
        std::int32_t& count = counts_[at(rank)];
        times_[at(rank) * kept + at(count++ % kept)] = now;
        ++all_;
    }
    // Whether all ranks have found their pace: each took the same time for three periods, and the same again once twice as many
    // pieces are complete, since a jam may take long to spread. Looks only now and then, as it looks at all ranks.
    bool found() {
        if (all_ < look_at_) return false;
        look_at_ = all_ + 8 * static_cast<std::int64_t>(counts_.size());
        for (int rank = 0; at(rank) < counts_.size(); ++rank)
            if (!is_even(rank)) return false;
        look_at_ = 2 * all_;
        std::vector<double> now = paces();
        const auto [least, most] = std::minmax_element(now.begin(), now.end());
        const bool same = std::equal(now.begin(), now.end(), takes_.begin(), takes_.end(),
                                     [](double one, double other) { return std::abs(one - other) <= tolerance * one; }) &&
                          (!one_pace_ || *most <= *least * (1 + 2 * jitter));
        takes_ = std::move(now);
        return same;
    }
    // Picoseconds; what was found last.
    double piece_takes(int rank) const { return takes_[at(rank)]; }

private:
    static constexpr std::int32_t period = 64, kept = 3 * period + 1;
    static constexpr double tolerance = 0.003, jitter = 0.01;

    static std::size_t at(int number) { return static_cast<std::size_t>(number); }
    // From `from` pieces ago back to `to` pieces ago.
    Time took(int rank, int from, int to) const {
        const std::int32_t last = counts_[at(rank)] - 1;
        return times_[at(rank) * kept + at((last - from) % kept)] - times_[at(rank) * kept + at((last - to) % kept)];
    }
    // A rank that serves several others takes them in turns: so its pieces come a little earlier or later, by four at most.
    bool is_even(int rank) const {
        if (counts_[at(rank)] < kept) return false;
        const Time first = took(rank, 0, period), second = took(rank, period, 2 * period),
                   third = took(rank, 2 * period, 3 * period);
        return std::max({first, second, third}) - std::min({first, second, third}) <= 4 * first / period;
    }
    // Ranks that differ by this jitter go at one pace: their mean.
    std::vector<double> paces() const {
        std::vector<std::pair<double, int>> sorted;
        for (int rank = 0; at(rank) < counts_.size(); ++rank)
            sorted.emplace_back(static_cast<double>(took(rank, 0, 3 * period)) / (3.0 * period), rank);
        std::sort(sorted.begin(), sorted.end());
        std::vector<double> found(sorted.size());
        double sum = 0;
        std::size_t first = 0, last = 0;
        for (const auto& [pace, rank] : sorted) {
            for (; last < sorted.size() && sorted[last].first <= pace * (1 + jitter); ++last) sum += sorted[last].first;
            for (; sorted[first].first < pace * (1 - jitter); ++first) sum -= sorted[first].first;
            found[at(rank)] = sum / static_cast<double>(last - first);
        }
        return found;
    }

    bool one_pace_;
    std::vector<Time> times_;  // the last ones of each rank, in a ring
    std::vector<std::int32_t> counts_;
    std::int64_t all_ = 0, look_at_ = 0;
    std::vector<double> takes_;
};

// How long windows of rounds took, on average over the ranks.
class Windows {
public:
    Windows(int ranks, std::int64_t rounds, bool automatic)
        : ranks_(ranks),
          rounds_(std::clamp<std::int64_t>(rounds / 24 / 2 * 2, 8, 256)),
          one_of_(std::max<std::int64_t>(automatic ? 1 : 4, rounds * ranks / most_messages)) {}

    std::int64_t rounds() const { return rounds_; }                    // of one window
    std::int64_t left_out() const { return rounds_ * (one_of_ - 1); }  // before the next one

    void completed(std::int32_t window, Time now) {
        if (ends_.size() <= static_cast<std::size_t>(window)) ends_.resize(static_cast<std::size_t>(window) + 1);
        ends_[static_cast<std::size_t>(window)].sum += static_cast<double>(now);
        ++ends_[static_cast<std::size_t>(window)].count;
    }
    // Of one round; and how far that may be off, with a certainty of 95 % (Student's t, by Cornish and Fisher's expansion).
    struct Round {
        double mean = 0, interval = 0;
    };
    Round round() const {
        std::vector<double> took;
        for (std::size_t i = 1; i < ends_.size() && ends_[i].count == ranks_; ++i)
            took.push_back((ends_[i].sum - ends_[i - 1].sum) / ranks_ / static_cast<double>(rounds_));
        const auto count = static_cast<double>(took.size());
        if (count < 2) return {};
        double sum = 0, squares = 0;
        for (const double one : took) sum += one;
        for (const double one : took) squares += (one - sum / count) * (one - sum / count);
        const double freedom = count - 1, certain = 1.96 + 2.372 / freedom + 2.82 / (freedom * freedom);
        return {sum / count, certain * std::sqrt(squares / freedom / count)};
    }

private:
    static constexpr std::int64_t most_messages = 30'000'000;
    struct End {
        double sum = 0;
        int count = 0;
    };

    int ranks_;
    std::int64_t rounds_, one_of_;
    std::vector<End> ends_;
};

}  // namespace kumihimo::simulator
