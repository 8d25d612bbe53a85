// MPICH 4.0 over UCX may wait for ever in MPI_Finalize where ranks are on several machines. A rank closes its endpoints, which
// waits for answers of its peers, and then waits in a barrier of the launcher, in which it answers nobody (mended later:
// pmodels/mpich pull request 6596). Here such a rank has a thread that goes on answering until the barrier is over. Programs
// and libraries that have this file need nothing else; for other MPI libraries it is empty.
//
// It also polls without a pause. The runtime is told of each poll, and gives the processor away where others need it.
#include <mpi.h>

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000 && MPICH_NUMVERSION < 40100000

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

// The MPI library's calls of UCX come here first. UCX's headers are not needed: all it hands out are pointers.
#define KUMIHIMO_BEFORE_UCX extern "C" __attribute__((visibility("default")))

namespace {

using Worker = void*;
using Endpoint = void*;
using Request = void*;  // null: done; the highest addresses: an error

template <typename Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_error(Request request) {
    constexpr std::intptr_t least_error = -100;
    const auto number = reinterpret_cast<std::intptr_t>(request);
    return number < 0 && number >= least_error;
}

// UCX's workers are used by one thread at a time. The MPI library closes its endpoints in MPI_Finalize only. From the first of
// them to the end of the first worker it calls nothing of UCX but what is here: endpoints are closed at once, so that it has no
// requests to wait for.
unsigned (*progress_of)(Worker) = nullptr;
std::vector<Worker> workers;
std::mutex in_use;
std::atomic<bool> finalizing = false, ends = false;
std::thread answering;

void progress() {
    for (Worker worker : workers) progress_of(worker);
}

void answer() {
    while (!ends) {
        {
            const std::lock_guard lock(in_use);
            progress();
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

void complete(Request request) {
    static auto* const completed = next<int(Request)>("ucp_request_is_completed");
    static auto* const release = next<void(Request)>("ucp_request_release");
    while (completed(request) == 0) {
        progress();
        std::this_thread::yield();
    }
    release(request);
}

}  // namespace

KUMIHIMO_BEFORE_UCX int ucp_worker_create(void* context, const void* parameters, Worker* worker) {
    progress_of = next<unsigned(Worker)>("ucp_worker_progress");
    const int status = next<int(void*, const void*, Worker*)>("ucp_worker_create")(context, parameters, worker);
    if (status == 0) workers.push_back(*worker);
    return status;
}

extern "C" [[gnu::weak]] void kumihimo_polled(unsigned events);  // runtime/execution/mpi_calls.cpp, in programs that have it

KUMIHIMO_BEFORE_UCX unsigned ucp_worker_progress(Worker worker) {
    if (!finalizing.load(std::memory_order_relaxed)) [[likely]] {
        const unsigned events = progress_of(worker);
        if (kumihimo_polled != nullptr) kumihimo_polled(events);
        return events;
    }
    const std::lock_guard lock(in_use);
    return progress_of(worker);
}

KUMIHIMO_BEFORE_UCX Request ucp_disconnect_nb(Endpoint endpoint) {
    static auto* const disconnect = next<Request(Endpoint)>("ucp_disconnect_nb");
    finalizing = true;
    const std::lock_guard lock(in_use);
    if (!answering.joinable()) answering = std::thread(answer);
    const Request request = disconnect(endpoint);
    if (request == nullptr || is_error(request)) return request;
    complete(request);
    return nullptr;
}

KUMIHIMO_BEFORE_UCX void ucp_worker_destroy(Worker worker) {
    if (answering.joinable()) {
        ends = true;
        answering.join();
    }
    std::erase(workers, worker);
    next<void(Worker)>("ucp_worker_destroy")(worker);
}

#endif
