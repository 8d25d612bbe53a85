// Runs the schedules of all ranks on symbols instead of data. A byte's value says which input bytes it was made of, in which
// order; what an operation must leave is computed from its definition in the MPI standard (expected.hpp), not from any
// algorithm.
//
// What one run proves for every order of events: no two steps of a rank that touch the same memory, one of them writing, are
// unordered; messages are matched before anything runs, by their order on each channel; so data do not depend on timing. A step
// that can start stays able to, so whether a run ends does not depend on the order either; it is run with the strictest
// rules (sends complete only when received, least_window steps ahead) and once more with random ones.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "collectives/algorithms.hpp"
#include "tests/collectives/terms.hpp"

namespace kumihimo::collectives::test {

class Interpreter {
public:
    // calls[r]: the call of rank r. Writes all schedules; throws std::runtime_error on what no run could survive: malformed
    // steps, memory outside the buffers, messages without partner or of different lengths, races.
    Interpreter(const Algorithm& algorithm, const std::vector<Call>& calls);

    struct Rules {
        int window = least_window;
        bool buffered = false;  // sends may complete early, at random; steps and messages come in random order
        unsigned seed = 1;
    };
    // Throws if the run gets stuck, or if a rank's receive buffer is not as expected at the end.
    void run(const Rules& rules);

    std::size_t messages() const { return messages_; }
    Bytes sent_bytes() const { return sent_bytes_; }

private:
    struct Message {
        int rank = -1;  // of the other side
        std::size_t step = 0;
    };
    enum class State : char { waiting, started, done };
    struct Rank {
        Call call;
        std::vector<Step> steps;
        std::vector<Message> partner;          // of messages
        std::vector<std::ptrdiff_t> previous;  // of messages: the one that must be started before; -1 none
        std::vector<State> state;
        std::vector<std::vector<Term>> carried;  // by sends that have completed early
        std::size_t low = 0;                     // all steps before are done
        std::vector<Term> memory[3];
    };

    void read(const Algorithm& algorithm, Rank& rank);
    void check_step(const Algorithm& algorithm, const Rank& rank, const Step& step, std::size_t index) const;
    void check_races(const Rank& rank) const;
    void match();
    void prepare();
    bool ready(const Rank& rank, std::size_t index) const;
    bool advance(Rank& rank, const Rules& rules, std::mt19937& random, bool timid);
    void start(Rank& rank, std::size_t index, bool early);
    bool deliver(Rank& rank, std::size_t index);
    void finish(Rank& rank, std::size_t index);
    void compare(const Rank& rank);
    [[noreturn]] void stuck() const;

    std::vector<Term> load(const Rank& rank, const Span& span) const;
    void store(Rank& rank, const Span& span, const std::vector<Term>& values);

    std::vector<Rank> ranks_;
    Terms terms_;
    std::size_t messages_ = 0;
    Bytes sent_bytes_ = 0;
};

std::string text(const Step& step);

}  // namespace kumihimo::collectives::test
