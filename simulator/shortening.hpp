// What of a long run need not be simulated, because it repeats itself. Two ways, by the kind of schedule (programs.hpp,
// Course):
// - Pieces that follow each other through a pipeline: once all ranks take them at an even pace, each at its own, the schedules
//   are cut to those pieces that some rank has begun, and each rank's pace tells what the rest would take.
// - Exchanges with all ranks in rounds: some windows of rounds are simulated, one right after the other. The others take as
//   long as these, and how windows differ tells how far that may be off.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "simulator/machine.hpp"
#include "simulator/programs.hpp"

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

// Which rounds of an exchange are simulated, and what the others take. Rounds until as many are under way as ever will be, then
// windows of rounds, then rounds until all have ended. Where any run of rounds is like the whole (Course::even) the windows lie
// side by side; else they are evenly spread, and what lies between two of them takes as long as the mean of both.
class Windows {
public:
    Windows(int ranks, const Course& course, bool automatic) : ranks_(ranks) {
        const auto rounds = static_cast<std::int64_t>(course.rounds);
        const std::int64_t one_of = std::max<std::int64_t>(automatic      ? 1
                                                           : rounds < few ? 2
                                                                          : 4,
                                                           rounds * ranks / most_messages),
                           inside = rounds / one_of - 3 * course.under_way;
        rounds_ = std::max<std::int64_t>(inside / 10, 8) / 2 * 2;
        count_ = inside / rounds_;
        if (one_of == 1 || count_ < 3) return;
        first_ = 2 * course.under_way;
        const std::int64_t left = rounds - first_ - count_ * rounds_ - course.under_way;
        if (course.even) {
            kept_ = rounds - left;
        } else {
            gap_ = left / (count_ - 1);
            first_ += left % (count_ - 1);
        }
        left_out_ = course.even ? left : gap_ * (count_ - 1);
        ends_.resize(static_cast<std::size_t>(count_) + 1);
    }

    std::int64_t first() const { return first_; }        // rounds before the first window
    std::int64_t rounds() const { return rounds_; }      // of one window
    std::int64_t gap() const { return gap_; }            // rounds between two
    std::int64_t gaps() const { return count_ - 1; }     // how often
    std::int64_t kept() const { return kept_; }          // rounds until the schedule ends; 0: until its end
    std::int64_t left_out() const { return left_out_; }  // rounds in all

    // A rank has completed the rounds before a window, or behind the last one.
    void reached(std::int64_t window, Time now) {
        if (window <= count_) ends_[static_cast<std::size_t>(window)] += static_cast<double>(now);
    }
    // What was left out, on average over the ranks; and how far that may be off, with a certainty of 95 %: by how much each
    // window differs from the next one (Student's t, by Cornish and Fisher's expansion).
    struct LeftOut {
        Time takes = 0, interval = 0;
    };
    LeftOut takes() const {
        double sum = 0, squares = 0;
        for (std::size_t i = 1; i + 1 < ends_.size(); ++i) {
            const double one = of_window(i - 1), next = of_window(i);
            sum += (one + next) / 2;
            squares += (next - one) * (next - one) / 2;
        }
        const auto pairs = static_cast<double>(gaps()), left = static_cast<double>(left_out_);
        const double certain = 1.96 + 2.372 / pairs + 2.82 / (pairs * pairs);
        return {static_cast<Time>(left * sum / pairs), static_cast<Time>(left * certain * std::sqrt(squares) / pairs)};
    }

private:
    static constexpr std::int64_t most_messages = 20'000'000, few = 1000;

    // A round of this window.
    double of_window(std::size_t window) const {
        return (ends_[window + 1] - ends_[window]) / ranks_ / static_cast<double>(rounds_);
    }

    int ranks_;
    std::int64_t first_ = 0, rounds_ = 0, count_ = 0, gap_ = 0, kept_ = 0, left_out_ = 0;
    std::vector<double> ends_;  // sums over the ranks
};

}  // namespace kumihimo::simulator
