// What of a long run need not be simulated, because it repeats itself. Two ways, by the kind of schedule (programs.hpp,
// Course):
// - Pieces that follow each other through a pipeline: once those that some rank has begun suffice (paces.hpp), or no more can
//   be afforded, the schedules are cut to these. When each rank began and when it is done with them tells what the rest takes.
// - Exchanges with all ranks in rounds: some windows of rounds are simulated (windows.hpp), one right after the other. The
//   others take as long as these, and how windows differ tells how far that may be off.
#pragma once

#include <optional>

#include "simulator/paces.hpp"
#include "simulator/programs.hpp"
#include "simulator/rank.hpp"
#include "simulator/windows.hpp"

namespace kumihimo::simulator {

// Of one rank: where its present round ends, and how many steps one has.
struct Rounds {
    Index end = none, each = 0;
};

class Shortening {
public:
    // always: wherever it can be; else only where that saves much. sampled: messages of an exchange that may be simulated.
    Shortening(const Program& program, bool always, std::int64_t sampled) : course_(program.course(0)) {
        if (course_.kind == Course::Kind::pieces && course_.rounds >= (always ? 8 : 1024))
            paces_.emplace(program.ranks(), course_.rounds);
        if (course_.kind == Course::Kind::exchanges) windows_.emplace(program.ranks(), course_, !always, sampled);
        if (windows_ && windows_->left_out() == 0) windows_.reset();
    }

    bool any() const { return paces_ || windows_; }
    // Of exchanges: what is left out of a rank's schedule is known from the first.
    Rounds begin(const Course& course, Rank& rank) {
        steps_of_round_ += static_cast<double>(course.each);
        const Index each = static_cast<Index>(course.each * (windows_ ? windows_->rounds() : 1));
        const Rounds round{static_cast<Index>(course.before) + (windows_ ? steps_of(windows_->first()) : each), each};
        if (!windows_) return round;
        rank.leave_out(steps_of(windows_->gap()), round.end + each, each, windows_->gap() > 0 ? windows_->gaps() : 0);
        if (windows_->kept() > 0) rank.end_before(static_cast<Index>(course.before) + steps_of(windows_->kept()));
        return round;
    }
    // Counts what this rank has completed by now. Whether the schedules can be cut.
    bool count(int number, const Rank& rank, Rounds& round, Time now) {
        for (; round.each > 0 && round.end <= rank.low(); round.end += round.each) {
            if (windows_) windows_->reached((round.end - course_.before - steps_of(windows_->first())) / round.each, now);
            if (paces_) paces_->completed(number, now), begun_ = std::max(begun_, begun(rank, round));
        }
        if (!paces_ || left_out_ > 0) return false;
        const Paces::Follows rest = paces_->follows(static_cast<double>(begun_));
        return rest == Paces::Follows::well || (rest == Paces::Follows::roughly && begun_ * steps_of_round_ > most_steps);
    }
    // All pieces that a rank has begun are simulated to their end. What the others take is known.
    template <typename Processors>
    void cut(Processors& processors) {
        Index pieces = 0;
        for (const auto& one : processors) pieces = std::max(pieces, begun(one.rank, one.round));
        left_out_ = course_.rounds - pieces;
        if (left_out_ < 1) return paces_.reset(), void(left_out_ = 0);
        for (auto& one : processors) one.rank.end_before(pieces * one.round.each);
    }

    // ---- The end ----

    const std::optional<Windows>& windows() const { return windows_; }
    double left_out() const { return windows_ ? static_cast<double>(windows_->left_out()) : left_out_; }  // rounds
    double simulated() const { return 1 - left_out() / course_.rounds; }
    // What a piece takes, of ranks that took so long for all that were simulated. None where paces changed, and all pieces can
    // be afforded.
    std::optional<Paces::Takes> pieces_take(const std::vector<Time>& took) const {
        Paces::Takes takes = paces_->take(took, course_.rounds - left_out_);
        if (takes.changed && course_.rounds * steps_of_round_ <= most_steps) return std::nullopt;
        return takes;
    }
    // The messages that a rank would have sent in the rounds that were left out, and received as many.
    Time exchanges() const { return static_cast<Time>(left_out()) * course_.each / 2; }

private:
    static constexpr double most_steps = 1.5e8;  // some minutes

    // Pieces of which it has seen a step.
    static Index begun(const Rank& rank, const Rounds& round) { return (rank.seen() + round.each - 1) / round.each; }
    // An exchange's, the same on all ranks.
    Index steps_of(std::int64_t rounds) const { return static_cast<Index>(rounds * course_.each); }

    Course course_;
    std::optional<Paces> paces_;
    std::optional<Windows> windows_;
    double steps_of_round_ = 0;  // of all ranks
    Index begun_ = 0;            // pieces, by the rank that is farthest
    double left_out_ = 0;        // pieces
};

}  // namespace kumihimo::simulator
