// Which rounds of an exchange of each with each are simulated, where all would take too long.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "simulator/machine.hpp"
#include "simulator/programs.hpp"

namespace kumihimo::simulator {

// Which rounds of an exchange are simulated, and what the others take. Rounds until as many are under way as ever will be, then
// windows of rounds, then rounds until all have ended. Where any run of rounds is like the whole (Course::even) the windows lie
// side by side; else they are evenly spread, and what lies between two of them takes as long as the mean of both.
class Windows {
public:
    // most_messages: that may be simulated.
    Windows(int ranks, const Course& course, bool automatic, std::int64_t most_messages) : ranks_(ranks) {
        const auto rounds = static_cast<std::int64_t>(course.rounds);
        const std::int64_t of = one_of(rounds, ranks, automatic, most_messages), inside = rounds / of - 3 * course.under_way;
        rounds_ = std::max<std::int64_t>(inside / 10, 8) / 2 * 2;
        count_ = inside / rounds_;
        if (of == 1 || count_ < 3) return;
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
    static constexpr std::int64_t few = 1000;

    // One of how many rounds is simulated: as few as there may be messages, and where sampling is asked for no more than a
    // half.
    static std::int64_t one_of(std::int64_t rounds, int ranks, bool automatic, std::int64_t most_messages) {
        const std::int64_t needed = std::max<std::int64_t>(1, rounds * ranks / most_messages);
        if (automatic) return needed;
        return std::max<std::int64_t>(needed, rounds < few ? 2 : 4);
    }
    // A round of this window.
    double of_window(std::size_t window) const {
        return (ends_[window + 1] - ends_[window]) / ranks_ / static_cast<double>(rounds_);
    }

    int ranks_;
    std::int64_t first_ = 0, rounds_ = 0, count_ = 0, gap_ = 0, kept_ = 0, left_out_ = 0;
    std::vector<double> ends_;  // sums over the ranks
};

}  // namespace kumihimo::simulator
