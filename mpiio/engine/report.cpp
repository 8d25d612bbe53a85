#include "mpiio/engine/report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/format.hpp"
#include "base/settings.hpp"
#include "mpiio/engine/details.hpp"

namespace kumihimo::mpiio {

namespace {

struct Totals {
    Calls calls;
    Counters counters;
    Details details;
    int ranks = 1;
};

// The sums over all ranks on rank 0; the times are the slowest rank's. Collective.
Totals totals_of(MPI_Comm comm, const Calls& calls, const Counters& counters) {
    const std::array<Index, 13> mine = {
        calls.reads,         calls.writes,           calls.collective_reads,  calls.collective_writes, calls.bytes_read,
        calls.bytes_written, calls.failures,         counters.reads,          counters.writes,         counters.others,
        counters.bytes_read, counters.bytes_written, counters.exchanged_bytes};
    const std::array<double, 2> my_seconds = {calls.seconds, counters.seconds};
    std::array<Index, 13> sums{};
    std::array<double, 2> seconds{};
    MPI_Reduce(mine.data(), sums.data(), mine.size(), MPI_INT64_T, MPI_SUM, 0, comm);
    MPI_Reduce(my_seconds.data(), seconds.data(), my_seconds.size(), MPI_DOUBLE, MPI_MAX, 0, comm);
    Totals totals;
    totals.calls = {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], seconds[0]};
    totals.counters = {sums[7], sums[8], sums[10], sums[11], sums[9], seconds[1], sums[12]};
    MPI_Comm_size(comm, &totals.ranks);
    return totals;
}

std::string json(const Details& details) {
    std::string members;
    for (const auto& [name, value] : details)
        members += fmt::format("{}{}: {}", members.empty() ? "" : ", ", base::json_string(name), value);
    return "{" + members + "}";
}

std::string json(const std::string& path, const char* engine, const Totals& totals) {
    const Calls& calls = totals.calls;
    const Counters& counters = totals.counters;
    return fmt::format(
        "{{\"file\": {}, \"engine\": {}, \"ranks\": {}, \"calls\": {{\"read\": {}, \"write\": {}, \"read_all\": {}, "
        "\"write_all\": {}}}, \"bytes\": {{\"read\": {}, \"written\": {}}}, \"failures\": {}, \"seconds\": {:.6f}, "
        "\"file_system\": {{\"reads\": {}, \"writes\": {}, \"others\": {}, \"bytes_read\": {}, \"bytes_written\": {}, "
        "\"seconds\": {:.6f}}}, \"exchanged_bytes\": {}, \"engine_counters\": {}}}\n",
        base::json_string(path), base::json_string(engine), totals.ranks, calls.reads, calls.writes, calls.collective_reads,
        calls.collective_writes, calls.bytes_read, calls.bytes_written, calls.failures, calls.seconds, counters.reads,
        counters.writes, counters.others, counters.bytes_read, counters.bytes_written, counters.seconds,
        counters.exchanged_bytes, json(totals.details));
}

// Names and numbers, a few in a line.
std::string text(const Details& details) {
    std::string lines, line;
    for (const auto& [name, value] : details) {
        line += fmt::format("{}{} {:.6g}", line.empty() ? "    " : ", ", name, value);
        if (line.size() <= 100) continue;
        lines += line + "\n";
        line.clear();
    }
    return line.empty() ? lines : lines + line + "\n";
}

std::string text(const std::string& path, const char* engine, const Totals& totals, const char* process) {
    const Calls& calls = totals.calls;
    const Counters& counters = totals.counters;
    return fmt::format(
               "kumihimo: '{}' served by {} on {}: {} calls in {:.3f} s\n"
               "    asked for: {} read by {} + {} collective calls, {} written by {} + {} collective calls, {} failed\n"
               "    file system: {} reads ({}), {} writes ({}), {} others, {:.3f} s; {} exchanged between {}s\n",
               path, engine, base::counted(totals.ranks, process),
               calls.reads + calls.writes + calls.collective_reads + calls.collective_writes, calls.seconds,
               base::bytes_text(calls.bytes_read), calls.reads, calls.collective_reads, base::bytes_text(calls.bytes_written),
               calls.writes, calls.collective_writes, calls.failures, counters.reads, base::bytes_text(counters.bytes_read),
               counters.writes, base::bytes_text(counters.bytes_written), counters.others, counters.seconds,
               base::bytes_text(counters.exchanged_bytes), process) +
           text(totals.details);
}

// One write, so that lines of jobs that end at the same time stay whole.
void append(const std::string& name, const std::string& line) {
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0 || write(descriptor, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        std::fprintf(stderr, "kumihimo: cannot write the report '%s'\n%s", name.c_str(), line.c_str());
    if (descriptor >= 0) close(descriptor);
}

}  // namespace

void CountedCall::complete(bool writes, bool collective, Index bytes, bool failed) const {
    Index& kind =
        collective ? (writes ? calls_.collective_writes : calls_.collective_reads) : (writes ? calls_.writes : calls_.reads);
    kind += 1;
    (writes ? calls_.bytes_written : calls_.bytes_read) += bytes;
    calls_.failures += failed ? 1 : 0;
    if (start_ != not_timed) calls_.seconds += MPI_Wtime() - start_;
}

bool reporting() {
    return base::setting("KUMIHIMO_IO_REPORT") != "0";
}

void write_report(const std::string& text, const std::string& json) {
    if (!reporting()) return;
    const std::string where = base::setting("KUMIHIMO_IO_REPORT");
    if (where == "1" || where == "-")
        std::fputs(text.c_str(), stderr);
    else
        append(where, json);
}

void report_file(MPI_Comm comm, const std::string& path, const char* engine, const Calls& calls, const EngineFile& file,
                 const char* process) {
    Totals totals = totals_of(comm, calls, file.counters());
    totals.details = totals_of_details(comm, file.details());
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank > 0) return;
    file.conclude(totals.details);
    write_report(text(path, engine, totals, process), json(path, engine, totals));
}

}  // namespace kumihimo::mpiio
