#include "mpiio/advise/advice.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "base/settings.hpp"
#include "mpiio/advise/stand_in.hpp"
#include "mpiio/engine/report.hpp"

namespace kumihimo::mpiio::advise {

namespace {

// Doing the calls again stops after so long, or after so many rounds.
constexpr double patience_seconds = 3;
constexpr int most_rounds = 5;
// Below, opening and closing are most of what a file costs, and a longer run would give another answer.
constexpr double too_short_seconds = 0.05;
// Of a factor that is worth a change.
constexpr double worth_while = 1.1;

// Seconds of each round, of the MPI library ("") or an engine; empty: the calls could not be done again.
struct Replays {
    std::string engine;
    std::vector<double> seconds;
};

// The engine that the rules choose, and Catwalk where it might be better: for what is written, by default.
std::vector<std::string> candidates(const std::string& chosen, const Original& original) {
    std::vector<std::string> all{chosen};
    if (chosen == "direct" && !original.only_read()) all.emplace_back("catwalk");
    return all;
}

// All in turn, so that load on the machine hits them alike. The MPI library comes first.
std::vector<Replays> measure(MPI_Comm comm, const Trace& trace, const Original& original, const std::string& chosen) {
    std::vector<Replays> all{{"", {}}};
    for (const std::string& engine : candidates(chosen, original)) all.push_back({engine, {}});
    const double start = MPI_Wtime();
    for (int round = 0, more = 1; round < most_rounds && more != 0; ++round) {
        for (Replays& one : all) {
            if (round > 0 && one.seconds.empty()) continue;  // it failed before
            const double seconds = replay(comm, trace, original, one.engine);
            if (seconds < 0)
                one.seconds.clear();
            else
                one.seconds.push_back(seconds);
        }
        more = !all.front().seconds.empty() && MPI_Wtime() - start < patience_seconds ? 1 : 0;
        MPI_Bcast(&more, 1, MPI_INT, 0, comm);
    }
    return all;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

CallTotals over_all(MPI_Comm comm, const CallTotals& mine) {
    const std::int64_t counts[4] = {mine.reads, mine.writes, mine.bytes_read, mine.bytes_written};
    std::int64_t sums[4] = {};
    CallTotals all;
    MPI_Reduce(counts, sums, 4, MPI_INT64_T, MPI_SUM, 0, comm);
    MPI_Reduce(&mine.seconds, &all.seconds, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    all.reads = sums[0], all.writes = sums[1], all.bytes_read = sums[2], all.bytes_written = sums[3];
    return all;
}

// What an engine would take.
struct Prediction {
    std::string engine;
    std::optional<double> seconds;  // none: the calls could not be done again
};

// What rank 0 says of a file.
struct Advice {
    const Original& original;
    int ranks;
    CallTotals all;
    double part;                          // of the calls, that was done again
    std::optional<double> replayed;       // seconds of the MPI library without the program around it
    std::vector<Prediction> predictions;  // first that of the engine which the rules choose

    double gain(const Prediction& prediction) const { return all.seconds / std::max(*prediction.seconds, 1e-9); }
    bool too_short() const { return all.seconds < too_short_seconds; }
};

// Doing calls again finds warm caches, memory that was used before, and ranks that do not wait for each other's computing. What
// the program's own calls took beyond that, they would take with the engine, too.
double prediction(double program_s, double native_s, double engine_s) {
    return engine_s + std::max(0.0, program_s - native_s);
}

std::string verdict(const Advice& advice, const Prediction& prediction) {
    if (!prediction.seconds) return "not known";
    if (advice.too_short()) return "too short to tell";
    const double gain = advice.gain(prediction);
    return gain > worth_while ? "faster" : gain < 1 / worth_while ? "slower" : "no difference";
}

// The engine that is worth a change, if there is one.
const Prediction* best(const Advice& advice) {
    const Prediction* found = nullptr;
    for (const Prediction& one : advice.predictions)
        if (verdict(advice, one) == "faster" && (found == nullptr || *one.seconds < *found->seconds)) found = &one;
    return found;
}

// For a shell.
std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char letter : word) text += letter == '\'' ? "'\\''" : std::string(1, letter);
    return text + "'";
}

// The command line to run next; empty: nothing would be gained.
std::string next_command(const Advice& advice) {
    const Prediction* const prediction = best(advice);
    if (prediction == nullptr) return "";
    const std::string command = base::setting("KUMIHIMO_IO_COMMAND");
    return fmt::format("kumihimo files run --io {} -- {}", quoted(advice.original.path + "=" + prediction->engine),
                       command.empty() ? "mpiexec ..." : command);
}

std::string json_number(const std::optional<double>& seconds) {
    return seconds ? fmt::format("{:.6f}", *seconds) : "null";
}

std::string json(const Advice& advice) {
    const CallTotals& all = advice.all;
    std::string engines;
    for (const Prediction& one : advice.predictions)
        engines +=
            fmt::format("{}{{\"engine\": {}, \"predicted_seconds\": {}, \"verdict\": \"{}\"}}", engines.empty() ? "" : ", ",
                        base::json_string(one.engine), json_number(one.seconds), verdict(advice, one));
    const Prediction& chosen = advice.predictions.front();
    return fmt::format(
        "{{\"advice\": {}, \"engine\": {}, \"ranks\": {}, \"calls\": {{\"read\": {}, \"write\": {}}}, \"bytes\": {{\"read\": "
        "{}, \"written\": {}}}, \"seconds\": {:.6f}, \"replayed_seconds\": {}, \"predicted_seconds\": {}, \"replayed_part\": "
        "{:.3f}, \"engines\": [{}], \"next\": {}}}\n",
        base::json_string(advice.original.path), base::json_string(chosen.engine), advice.ranks, all.reads, all.writes,
        all.bytes_read, all.bytes_written, all.seconds, json_number(advice.replayed), json_number(chosen.seconds), advice.part,
        engines, base::json_string(next_command(advice)));
}

std::string prediction_text(const Advice& advice, const Prediction& prediction) {
    if (!prediction.seconds) return "not known, since its calls could not be done again on a scratch file";
    return fmt::format("{:.3f} s predicted, {:.2f} x ({})", *prediction.seconds, advice.gain(prediction),
                       verdict(advice, prediction));
}

std::string next_text(const Advice& advice) {
    const std::string command = next_command(advice);
    if (!command.empty()) return fmt::format("    next: {}\n", command);
    return advice.too_short() ? "    next: the same with a longer run\n" : "";
}

std::string text(const Advice& advice) {
    const CallTotals& all = advice.all;
    const std::string some = advice.part < 1 ? fmt::format(", from the first {:.0f} % of the calls", 100 * advice.part) : "";
    std::string said =
        fmt::format("kumihimo: '{}' on {}: {} ({}), {} ({}), {:.3f} s in the MPI library\n", advice.original.path,
                    base::counted(advice.ranks, "rank"), base::counted(all.reads, "read"),
                    base::bytes_text(static_cast<unsigned long long>(all.bytes_read)), base::counted(all.writes, "write"),
                    base::bytes_text(static_cast<unsigned long long>(all.bytes_written)), all.seconds);
    for (const Prediction& one : advice.predictions)
        said += fmt::format("    {}: {}{}\n", one.engine, prediction_text(advice, one), some);
    return said + next_text(advice);
}

}  // namespace

void report_advice(MPI_Comm comm, const Trace& trace, const Original& original, const std::string& engine) {
    int rank = 0;
    Advice advice{original, 1, {}, replayed_part(comm, trace), {}, {}};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &advice.ranks);
    const StandIn file(comm, original);
    const std::vector<Replays> all = measure(comm, trace, file.original(), engine);
    advice.all = over_all(comm, trace.totals());
    const std::vector<double>& native = all.front().seconds;
    if (!native.empty()) advice.replayed = median(native) / advice.part;
    for (std::size_t i = 1; i < all.size(); ++i) {
        Prediction one{all[i].engine, {}};
        if (!native.empty() && !all[i].seconds.empty())
            one.seconds = prediction(advice.all.seconds, *advice.replayed, median(all[i].seconds) / advice.part);
        if (one.seconds || i == 1) advice.predictions.push_back(one);
    }
    if (rank == 0) write_report(text(advice), json(advice));
}

}  // namespace kumihimo::mpiio::advise
