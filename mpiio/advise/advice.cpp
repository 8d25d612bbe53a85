#include "mpiio/advise/advice.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "mpiio/advise/stand_in.hpp"
#include "mpiio/file/report.hpp"

namespace kumihimo::mpiio::advise {

namespace {

// Doing the calls again stops after so long, or after so many rounds.
constexpr double patience_seconds = 3;
constexpr int most_rounds = 5;

// Seconds of each round; empty: the calls could not be done again.
struct Times {
    std::vector<double> native, engine;
};

// Both libraries in turn, so that load on the machine hits them alike.
Times measure(MPI_Comm comm, const Trace& trace, const Original& original, const std::string& engine) {
    Times times;
    const double start = MPI_Wtime();
    for (int round = 0, more = 1; round < most_rounds && more != 0; ++round) {
        const double native = replay(comm, trace, original, ""), ours = replay(comm, trace, original, engine);
        if (native < 0 || ours < 0) return {};
        times.native.push_back(native);
        times.engine.push_back(ours);
        more = MPI_Wtime() - start < patience_seconds ? 1 : 0;
        MPI_Bcast(&more, 1, MPI_INT, 0, comm);
    }
    return times;
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

// What rank 0 says of a file.
struct Advice {
    const Original& original;
    std::string engine;
    int ranks;
    CallTotals all;
    double part;                                // of the calls, that was done again
    std::optional<double> predicted, replayed;  // seconds: the engine's, the MPI library's without the program around it
};

// Doing calls again finds warm caches, memory that was used before, and ranks that do not wait for each other's computing. What
// the program's own calls took beyond that, they would take with the engine, too.
double prediction(double program_s, double native_s, double engine_s) {
    return engine_s + std::max(0.0, program_s - native_s);
}

std::string json_number(const std::optional<double>& seconds) {
    return seconds ? fmt::format("{:.6f}", *seconds) : "null";
}

std::string json(const Advice& advice) {
    const CallTotals& all = advice.all;
    return fmt::format(
        "{{\"advice\": {}, \"engine\": {}, \"ranks\": {}, \"calls\": {{\"read\": {}, \"write\": {}}}, \"bytes\": {{\"read\": "
        "{}, \"written\": {}}}, \"seconds\": {:.6f}, \"replayed_seconds\": {}, \"predicted_seconds\": {}, \"replayed_part\": "
        "{:.3f}}}\n",
        base::json_string(advice.original.path), base::json_string(advice.engine), advice.ranks, all.reads, all.writes,
        all.bytes_read, all.bytes_written, all.seconds, json_number(advice.replayed), json_number(advice.predicted),
        advice.part);
}

std::string prediction_text(const Advice& advice) {
    if (!advice.predicted) return "not known, since its calls could not be done again on a scratch file";
    const double gain = advice.all.seconds / std::max(*advice.predicted, 1e-9);
    const char* const word = gain > 1.1 ? "faster" : gain < 0.9 ? "slower" : "no difference";
    return fmt::format("{:.3f} s predicted, {:.2f} x ({})", *advice.predicted, gain, word);
}

std::string text(const Advice& advice) {
    const CallTotals& all = advice.all;
    const std::string some = advice.part < 1 ? fmt::format(", from the first {:.0f} % of the calls", 100 * advice.part) : "";
    return fmt::format("kumihimo: '{}' on {}: {} ({}), {} ({}), {:.3f} s in the MPI library\n    {}: {}{}\n",
                       advice.original.path, base::counted(advice.ranks, "rank"), base::counted(all.reads, "read"),
                       base::bytes_text(static_cast<unsigned long long>(all.bytes_read)), base::counted(all.writes, "write"),
                       base::bytes_text(static_cast<unsigned long long>(all.bytes_written)), all.seconds, advice.engine,
                       prediction_text(advice), some);
}

}  // namespace

void report_advice(MPI_Comm comm, const Trace& trace, const Original& original, const std::string& engine) {
    int rank = 0;
    Advice advice{original, engine, 1, {}, replayed_part(comm, trace), {}, {}};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &advice.ranks);
    const StandIn file(comm, original);
    const Times times = measure(comm, trace, file.original(), engine);
    advice.all = over_all(comm, trace.totals());
    if (!times.engine.empty()) {
        advice.replayed = median(times.native) / advice.part;
        advice.predicted = prediction(advice.all.seconds, *advice.replayed, median(times.engine) / advice.part);
    }
    if (rank == 0) write_report(text(advice), json(advice));
}

}  // namespace kumihimo::mpiio::advise
