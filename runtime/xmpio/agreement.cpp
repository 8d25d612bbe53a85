#include "runtime/xmpio/agreement.hpp"

#include <cstdio>
#include <limits>

#include "base/settings.hpp"
#include "base/wait.hpp"

namespace kumihimo::xmpio {

namespace {

constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
std::string message;  // of this process; replaced by the next failure

void lowest(MPI_Comm comm, const void* mine, void* result, int count, MPI_Datatype type) {
    if (!base::processors_are_shared()) {
        MPI_Allreduce(mine, result, count, type, MPI_MIN, comm);
        return;
    }
    MPI_Request request;
    MPI_Iallreduce(mine, result, count, type, MPI_MIN, comm, &request);
    complete(request);
}

void broadcast_data(MPI_Comm comm, int root, void* data, int count, MPI_Datatype type) {
    MPI_Request request;
    MPI_Ibcast(data, count, type, root, comm, &request);
    complete(request);
}

// The text travels only when something failed.
Failure broadcast(MPI_Comm comm, int root, const std::optional<Failure>& mine) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    Failure failure;
    if (rank == root) failure = {mine->code, "node " + std::to_string(root) + ": " + mine->text, mine->system_error};
    int head[3] = {failure.code, static_cast<int>(failure.text.size()), failure.system_error};
    broadcast_data(comm, root, head, 3, MPI_INT);
    failure.code = head[0];
    failure.text.resize(head[1]);
    failure.system_error = head[2];
    broadcast_data(comm, root, failure.text.data(), head[1], MPI_CHAR);
    return failure;
}

}  // namespace

void complete(MPI_Request& request) {
    if (!base::processors_are_shared()) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    base::wait_until([&] {
        int done = 0;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
}

std::shared_ptr<Communicator> Communicator::of(MPI_Comm comm) {
    using Held = std::shared_ptr<Communicator>;
    static int key = MPI_KEYVAL_INVALID;
    if (key == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(
            MPI_COMM_NULL_COPY_FN,
            [](MPI_Comm, int, void* value, void*) -> int {
                delete static_cast<Held*>(value);
                return MPI_SUCCESS;
            },
            &key, nullptr);
    void* value = nullptr;
    int found = 0;
    MPI_Comm_get_attr(comm, key, &value, &found);
    if (found) return *static_cast<Held*>(value);
    auto* const held = new Held(new Communicator(comm));
    MPI_Comm_set_attr(comm, key, held);
    return *held;
}

Communicator::~Communicator() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Comm_free(&copy_);
}

std::optional<Failure> agree(MPI_Comm comm, const std::optional<Failure>& mine) {
    int rank = 0, first = 0;
    MPI_Comm_rank(comm, &rank);
    const int failed = mine ? rank : std::numeric_limits<int>::max();
    lowest(comm, &failed, &first, 1, MPI_INT);
    if (first == std::numeric_limits<int>::max()) return std::nullopt;
    return broadcast(comm, first, mine);
}

std::optional<Failure> agree(MPI_Comm comm, const std::optional<Failure>& mine, Terms& terms) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const auto fingerprint = static_cast<std::int64_t>(terms.fingerprint >> 1);  // so that its negation exists
    // A node that failed already must not make the others' terms look different.
    const std::array<std::int64_t, 7> offered = {mine ? rank : unknown,
                                                 mine ? unknown : terms.position,
                                                 mine ? unknown : -terms.position,
                                                 mine ? unknown : fingerprint,
                                                 mine ? unknown : -fingerprint,
                                                 rank == 0 && terms.file_bytes >= 0 ? terms.file_bytes : unknown,
                                                 terms.direct ? 1 : 0};
    std::array<std::int64_t, 7> agreed{};
    lowest(comm, offered.data(), agreed.data(), static_cast<int>(offered.size()), MPI_INT64_T);
    if (agreed[0] != unknown) return broadcast(comm, static_cast<int>(agreed[0]), mine);
    if (agreed[1] != -agreed[2])
        return Failure{-1, "the nodes' file positions differ (lowest " + std::to_string(agreed[1]) + ", highest " +
                               std::to_string(-agreed[2]) +
                               "): set them with xmp_fseek on all nodes before a collective transfer"};
    if (agreed[3] != -agreed[4]) return Failure{-1, "the nodes called it with different arrays or sections"};
    terms.file_bytes = agreed[5] == unknown ? -1 : agreed[5];
    terms.direct = agreed[6] != 0;
    return std::nullopt;
}

void report(const std::string& function, const Failure& failure, bool print) {
    message = function + ": " + failure.text;
    if (print && base::setting_flag("KUMIHIMO_IO_MESSAGES")) std::fprintf(stderr, "kumihimo: %s\n", message.c_str());
}

const char* last_message() {
    return message.c_str();
}

}  // namespace kumihimo::xmpio
