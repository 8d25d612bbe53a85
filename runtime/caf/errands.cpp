#include "runtime/caf/errands.hpp"

#include <mpi.h>

#include <deque>
#include <limits>
#include <memory>
#include <utility>

#include "base/attribute.hpp"
#include "base/communicator.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "base/progress.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/localview/desks.hpp"
#include "runtime/localview/waiting.hpp"

namespace kumihimo::caf {

namespace {

using Bytes = std::vector<std::byte>;
constexpr int request_tag = 1, answer_tag = 2;

class Errands {
public:
    Errands(MPI_Comm parent, Serve* serve) : communicator_(base::copy_of(parent)), serve_(serve), poller_(&poll, this) {
        MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);  // what cannot be sent to an image that has died
    }
    ~Errands() {
        for (Sent& sent : sent_) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&communicator_);
    }
    Errands(const Errands&) = delete;
    Errands& operator=(const Errands&) = delete;

    Bytes run(int node, const Bytes& request) {
        send(node, request_tag, request);
        Bytes answer;
        bool failed = false;
        localview::wait_until([&] {
            if (receive(node, answer_tag, answer) >= 0) return true;
            return failed = localview::failure_of(node) != localview::Failure::none;
        });
        if (failed) throw localview::Missing(localview::Absence::failed);
        return answer;
    }

private:
    struct Sent {
        Bytes bytes;
        MPI_Request request;
    };

    static void poll(void* errands) { static_cast<Errands*>(errands)->serve(); }

    void serve() {
        Bytes request;
        while (!sent_.empty() && left(sent_.front())) sent_.pop_front();
        for (int node; (node = receive(MPI_ANY_SOURCE, request_tag, request)) >= 0;) send(node, answer_tag, serve_(request));
    }

    static bool left(Sent& sent) {
        int done = 0;
        return MPI_Test(&sent.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
    }

    void send(int node, int tag, Bytes bytes) {
        if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
            throw base::Error(fmt::format("{} in one access of another image", base::bytes_text(bytes.size())),
                              "Less than 2 GiB are possible at once.");
        if (localview::failure_of(node) == localview::Failure::died) return;
        Sent& sent = sent_.emplace_back(Sent{std::move(bytes), MPI_REQUEST_NULL});
        const auto count = static_cast<int>(sent.bytes.size());
        if (MPI_Isend(sent.bytes.data(), count, MPI_BYTE, node, tag, communicator_, &sent.request) != MPI_SUCCESS)
            localview::note_loss(node);
    }

    // The image that a message came from; negative: none came.
    int receive(int node, int tag, Bytes& bytes) {
        int arrived = 0, count = 0;
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        MPI_Improbe(node, tag, communicator_, &arrived, &message, &status);
        if (arrived == 0) return -1;
        MPI_Get_count(&status, MPI_BYTE, &count);
        bytes.resize(static_cast<std::size_t>(count));
        MPI_Mrecv(bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        return status.MPI_SOURCE;
    }

    MPI_Comm communicator_ = MPI_COMM_NULL;
    Serve* serve_;
    std::deque<Sent> sent_;  // a deque: what MPI sends from stays where it is
    base::Poller poller_;
};

MPI_Comm world() {
    return execution::Context::get().world_communicator();
}

}  // namespace

void open_errands(Serve* serve) {
    if (base::Attribute<Errands>::of(world()) == nullptr)
        base::Attribute<Errands>::keep(world(), std::make_unique<Errands>(world(), serve));
}

std::vector<std::byte> run_errand(int node, const std::vector<std::byte>& request) {
    return base::Attribute<Errands>::of(world())->run(node, request);
}

}  // namespace kumihimo::caf
