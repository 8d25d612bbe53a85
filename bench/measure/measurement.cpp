#include "bench/measure/measurement.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace kumihimo::bench {

namespace {

constexpr int least_samples = 5, stretches = 10, window_trials = 4;
constexpr int least_calls = 4;      // of a loop: its first one begins as late as this rank leaves the barrier
constexpr int warm_up_calls = 100;  // at most; MPICH has 64 cells for messages between two ranks, which are touched one by one
constexpr double window_pause_us = 10;  // for the clock reading and the wait around each call
constexpr double late_us = 1;           // after the agreed time

using Call = std::function<void()>;

double agreed(double mine, const Place& place) {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, place.comm());
    return mine;
}

double duration_us(const Call& call) {
    const double before = local_us();
    call();
    return local_us() - before;
}

// What is known before samples are taken.
struct Estimate {
    double call_us;   // the fastest of some: the slow ones are the first ones' business
    double round_us;  // the mean with the barrier before: where ranks wait for a processor, that is most of the time
};

Estimate estimate(const Call& call, const Place& place) {
    constexpr int calls = 3;
    double shortest = std::numeric_limits<double>::max();
    const double before = local_us();
    for (int i = 0; i < calls; ++i) {
        place.meet();
        shortest = std::min(shortest, agreed(duration_us(call), place));
    }
    return {std::max(shortest, 0.01), agreed((local_us() - before) / calls, place)};
}

int repetitions(const Estimate& known, const Options& options) {
    const double fitting = options.seconds * 1e6 / known.round_us;
    return static_cast<int>(std::clamp(fitting, double{least_samples}, std::max<double>(options.repetitions, least_samples)));
}

// Moves the ranks' durations to rank 0. late[i]: call i did not begin together.
void collect(Samples& samples, std::vector<double>& durations, std::vector<int>& late, const Place& place, int participants) {
    const int count = static_cast<int>(durations.size());
    const bool takes_part = place.rank() < participants;
    std::vector<double> fastest(durations), slowest(count), sum(count);
    if (!takes_part) std::ranges::fill(fastest, std::numeric_limits<double>::max());
    MPI_Reduce(place.rank() == 0 ? MPI_IN_PLACE : fastest.data(), fastest.data(), count, MPI_DOUBLE, MPI_MIN, 0, place.comm());
    MPI_Reduce(durations.data(), slowest.data(), count, MPI_DOUBLE, MPI_MAX, 0, place.comm());
    MPI_Reduce(durations.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, 0, place.comm());
    MPI_Allreduce(MPI_IN_PLACE, late.data(), count, MPI_INT, MPI_MAX, place.comm());
    for (int i = 0; i < count; ++i) {
        if (late[i]) {
            ++samples.late;
        } else {
            samples.fastest_us.push_back(fastest[i]);
            samples.slowest_us.push_back(slowest[i]);
            samples.mean_us.push_back(sum[i] / participants);
        }
    }
}

class Sampler {
public:
    Sampler(const Place& place, CommonClock& clock, const Options& options, int participants)
        : place_(place), clock_(clock), options_(options), participants_(participants) {}

    Samples take(const Call& call) const {
        const Estimate cold = estimate(call, place_);
        warm_up(call, cold);
        const Estimate known = estimate(call, place_);
        const int count = repetitions(known, options_);
        if (start() == Start::loop) return by_loop(call, count);
        if (start() == Start::window) {
            Samples samples = by_window(call, count, known.call_us);
            if (samples.start == Start::window) return samples;
        }
        return by_barrier(call, count);
    }

private:
    // Ranks that share a processor cannot begin together, and who waits for a time does not help another's access to its
    // memory.
    Start start() const {
        const bool together = !place_.crowded() && participants_ > 1;
        return options_.start == Start::window && !together ? Start::barrier : options_.start;
    }

    // The MPI library touches memory for the first time, sets up connections, and so on; for a quarter of the samples' time at
    // most. Barriers are between these calls only if they are between the samples, too: MPICH's cells are used in turn, and
    // those that the messages of a barrier take would be new to the call's.
    void warm_up(const Call& call, const Estimate& known) const {
        const int calls = static_cast<int>(std::min<double>(warm_up_calls, options_.seconds / 4 * 1e6 / known.round_us));
        for (int i = 0; i < calls; ++i) {
            if (start() == Start::barrier) place_.meet();
            call();
        }
    }

    double mine(double duration) const { return place_.rank() < participants_ ? duration : 0; }

    Samples by_loop(const Call& call, int count) const {
        Samples samples{{}, {}, {}, Start::loop};
        const int calls = std::max(least_calls, count / stretches);
        const int taken = std::clamp(count / calls, least_samples, stretches);
        std::vector<double> durations(taken);
        std::vector<int> late(taken, 0);
        for (double& duration : durations) {
            place_.meet();
            duration = mine(duration_us([&] {
                                for (int i = 0; i < calls; ++i) call();
                            }) /
                            calls);
        }
        collect(samples, durations, late, place_, participants_);
        return samples;
    }

    Samples by_barrier(const Call& call, int count) const {
        Samples samples{{}, {}, {}, Start::barrier};
        std::vector<double> durations(count);
        std::vector<int> late(count, 0);
        for (double& duration : durations) {
            place_.meet();
            duration = mine(duration_us(call));
        }
        collect(samples, durations, late, place_, participants_);
        return samples;
    }

    // Windows grow until most calls fit into them. A call that overruns its window is a sample; the one after it began late,
    // and is none.
    Samples by_window(const Call& call, int count, double estimate) const {
        double window = 1.5 * estimate + window_pause_us;
        for (int trial = 0; trial < window_trials; ++trial, window *= 2) {
            Samples samples = windows(call, count, window);
            if (samples.late * 4 <= count) return samples;
        }
        return {{}, {}, {}, Start::barrier};
    }

    Samples windows(const Call& call, int count, double window) const {
        Samples samples;
        std::vector<double> durations(count);
        std::vector<int> late(count);
        clock_.synchronise();
        const double first = first_window();
        for (int i = 0; i < count; ++i) {
            const double time = first + i * window;
            while (clock_.now_us() < time) continue;
            late[i] = clock_.now_us() > time + late_us + window / 20;
            durations[i] = mine(duration_us(call));
        }
        collect(samples, durations, late, place_, participants_);
        return samples;
    }

    // Late enough for everybody to have been told.
    double first_window() const {
        MPI_Barrier(place_.comm());
        const double before = local_us();
        MPI_Barrier(place_.comm());
        double told = clock_.now_us() + 50 + 10 * (local_us() - before);
        MPI_Bcast(&told, 1, MPI_DOUBLE, 0, place_.comm());
        return told;
    }

    const Place& place_;
    CommonClock& clock_;
    const Options& options_;
    int participants_;
};

// Arithmetic of a known length on no memory that matters.
class Computation {
public:
    explicit Computation(double length_us) : rounds_(static_cast<long>(length_us * rounds_per_us())) {}
    void operator()() const { spin(rounds_); }

private:
    static void spin(long rounds) {
        volatile double value = 1;
        for (long i = 0; i < rounds; ++i) value = value * 0.999 + 0.001;
    }
    static double rounds_per_us() {
        static const double rate = [] {
            constexpr long rounds = 200000;
            double shortest = duration_us([] { spin(rounds); });
            for (int i = 0; i < 4; ++i) shortest = std::min(shortest, duration_us([] { spin(rounds); }));
            return rounds / shortest;
        }();
        return rate;
    }
    long rounds_;
};

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void measure_overlap(Measurement& found, Kernel& kernel, const Place& place, const Sampler& sampler) {
    const Computation computation(agreed(median(found.alone.slowest_us), place));
    found.computation = sampler.take(computation);
    found.together = sampler.take([&] {
        kernel.call_beside(computation);
        place.next_call();
    });
}

bool receives(const Operation& operation, const Place& place) {
    return operation.receives == Operation::everybody || (operation.receives == Operation::root) == place.is_root();
}

// Whether one call for each root, after all data was forgotten, gives all ranks what they should have.
std::int64_t check(const Operation& operation, Kernel& kernel, const Place& place) {
    std::int64_t wrong = 0;
    for (int i = 0; i < place.roots(); ++i, place.next_call()) {
        kernel.forget();
        MPI_Barrier(place.comm());
        kernel.call_to_check();
        MPI_Barrier(place.comm());
        if (receives(operation, place)) wrong += kernel.wrong();
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, place.comm());
    return wrong;
}

void divide(Samples& samples, int by) {
    for (std::vector<double>* times : {&samples.fastest_us, &samples.mean_us, &samples.slowest_us})
        for (double& time : *times) time /= by;
}

}  // namespace

Measurement measure(const Operation& operation, Kernel& kernel, const Place& place, CommonClock& clock,
                    const Options& options) {
    const Sampler sampler(place, clock, options, operation.participants ? operation.participants : place.size());
    Measurement found;
    found.wrong = check(operation, kernel, place);
    found.alone = sampler.take([&] {
        kernel.call();
        place.next_call();
    });
    if (operation.overlaps) measure_overlap(found, kernel, place, sampler);
    found.wrong += check(operation, kernel, place);
    divide(found.alone, operation.calls);
    return found;
}

}  // namespace kumihimo::bench
