#include "runtime/xmpio/agreement.hpp"

#include <cstdio>
#include <limits>

#include "base/settings.hpp"

namespace kumihimo::xmpio {

namespace {

constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
std::string message;  // of this process; replaced by the next failure

void broadcast(MPI_Comm comm, void* data, int count, MPI_Datatype type) {
    MPI_Request request;
    MPI_Ibcast(data, count, type, 0, comm, &request);
    complete(request, comm);
}

}  // namespace

std::optional<Failure> agree(MPI_Comm comm, const std::optional<Failure>& mine, Terms& terms) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const auto fingerprint = static_cast<std::int64_t>(terms.fingerprint >> 1);  // so that its negation exists
    // A node that failed already must not make the others' terms look different.
    const std::array<std::int64_t, 7> offered = {
        mine ? rank : unknown,        mine ? unknown : terms.position, mine ? unknown : -terms.position,
        mine ? unknown : fingerprint, mine ? unknown : -fingerprint,   -terms.file_bytes,
        terms.mapped ? 1 : 0};
    std::array<std::int64_t, 7> agreed{};
    base::lowest(comm, offered.data(), agreed.data(), static_cast<int>(offered.size()), MPI_INT64_T);
    if (agreed[0] != unknown) return base::broadcast_failure(comm, static_cast<int>(agreed[0]), mine);
    if (agreed[1] != -agreed[2])
        return Failure{-1, "the nodes' file positions differ (lowest " + std::to_string(agreed[1]) + ", highest " +
                               std::to_string(-agreed[2]) +
                               "): set them with xmp_fseek on all nodes before a collective transfer"};
    if (agreed[3] != -agreed[4]) return Failure{-1, "the nodes called it with different arrays or sections"};
    terms.file_bytes = -agreed[5];
    terms.mapped = agreed[6] != 0;
    return std::nullopt;
}

void share(MPI_Comm comm, std::int64_t& number) {
    broadcast(comm, &number, 1, MPI_INT64_T);
}

void share(MPI_Comm comm, std::string& text) {
    auto length = static_cast<std::int64_t>(text.size());
    share(comm, length);
    text.resize(length);
    broadcast(comm, text.data(), static_cast<int>(length), MPI_CHAR);
}

void report(const std::string& function, const Failure& failure, bool print) {
    message = function + ": " + failure.text;
    if (print && base::setting_flag("KUMIHIMO_XMPIO_MESSAGES")) std::fprintf(stderr, "kumihimo: %s\n", message.c_str());
}

const char* last_message() {
    return message.c_str();
}

}  // namespace kumihimo::xmpio
