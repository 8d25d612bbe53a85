#include "runtime/caf/remote_memory.hpp"

#include <mpi.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "base/attribute.hpp"
#include "base/error.hpp"
#include "base/family.hpp"
#include "base/format.hpp"
#include "base/hosts.hpp"
#include "base/log.hpp"
#include "base/node_number.hpp"
#include "base/settings.hpp"
#include "runtime/caf/component_memory.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/localview/job_transport.hpp"
#include "runtime/localview/remote.hpp"

namespace kumihimo::caf {

namespace {

using execution::Context;

[[noreturn]] void fail_unreached(int node, std::uintptr_t address, std::size_t bytes, const std::string& reason) {
    throw base::Error(fmt::format("a component's memory on image {} ({} at {:#x}) cannot be reached: {}",
                                  base::node_number(node), base::bytes_text(bytes), address, reason),
                      "Was it deallocated meanwhile, or does a pointer lead to memory that ALLOCATE did not make?");
}

// Through the kernel.
class KernelCopies {
public:
    // Both of processes of this machine. to_near: reads, given as the put that goes back.
    static void copy(int process, int node, bool to_near, std::byte* near, std::uintptr_t far,
                     const sets::Correspondence& put) {
        KernelCopies batch(process, node, to_near);
        put.for_each_run([&](std::ptrdiff_t there, std::ptrdiff_t here) {
            batch.add(near + here, far + static_cast<std::uintptr_t>(there), static_cast<std::size_t>(put.run()));
        });
        batch.flush();
    }

private:
    static constexpr std::size_t most = 256;  // of the 1024 that the kernel takes
    KernelCopies(int process, int node, bool to_near) : process_(process), node_(node), to_near_(to_near) {}

    void add(std::byte* here, std::uintptr_t there, std::size_t bytes) {
        constexpr std::size_t longest = std::size_t{1} << 30;  // the kernel copies less than 2 GiB at once
        for (; bytes > longest; here += longest, there += longest, bytes -= longest) add(here, there, longest);
        if (count_ == most || bytes_ + bytes > longest) flush();
        near_[count_] = {here, bytes};
        far_[count_++] = {reinterpret_cast<void*>(there), bytes};
        bytes_ += bytes;
    }

    void flush() {
        if (bytes_ > 0) {
            const auto call = to_near_ ? process_vm_readv : process_vm_writev;
            const ssize_t moved = call(process_, near_.data(), count_, far_.data(), count_, 0);
            if (moved != static_cast<ssize_t>(bytes_))
                fail_unreached(node_, reinterpret_cast<std::uintptr_t>(far_[0].iov_base), bytes_,
                               moved < 0 ? base::errno_text(errno) : "a part of it is not there");
        }
        count_ = bytes_ = 0;
    }

    int process_, node_;
    bool to_near_;
    std::size_t count_ = 0, bytes_ = 0;
    std::array<iovec, most> near_, far_;
};

// Through MPI, for those that neither the kernel nor the transport reaches.
class Window {
public:
    explicit Window(MPI_Comm communicator) {
        MPI_Win_create_dynamic(MPI_INFO_NULL, communicator, &handle_);
        MPI_Win_set_errhandler(handle_, MPI_ERRORS_RETURN);
        MPI_Win_lock_all(MPI_MODE_NOCHECK, handle_);
    }
    ~Window() {  // collective
        MPI_Win_unlock_all(handle_);
        MPI_Win_free(&handle_);
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    void attach(void* memory, std::size_t bytes) {
        const int code = MPI_Win_attach(handle_, memory, static_cast<MPI_Aint>(bytes));
        if (code != MPI_SUCCESS)
            throw base::Error("MPI lets no more memory of components be reached from other machines: " + text_of(code),
                              "With Open MPI, OMPI_MCA_osc_rdma_max_attach says how many components there may be.");
    }
    void detach(void* memory) { MPI_Win_detach(handle_, memory); }

    void copy(int node, bool to_near, std::byte* near, std::uintptr_t far, const sets::Correspondence& put) {
        constexpr sets::Index longest = sets::Index{1} << 30;  // counts are int
        int code = MPI_SUCCESS;
        put.for_each_piece(longest, 1, [&](const sets::Correspondence& piece) {
            piece.for_each_run([&](std::ptrdiff_t there, std::ptrdiff_t here) {
                const auto bytes = static_cast<int>(piece.run());
                const MPI_Aint at = static_cast<MPI_Aint>(far) + there;
                if (code == MPI_SUCCESS)
                    code = to_near ? MPI_Get(near + here, bytes, MPI_BYTE, node, at, bytes, MPI_BYTE, handle_)
                                   : MPI_Put(near + here, bytes, MPI_BYTE, node, at, bytes, MPI_BYTE, handle_);
            });
        });
        if (code == MPI_SUCCESS) code = MPI_Win_flush(node, handle_);
        if (code != MPI_SUCCESS) fail_unreached(node, far, static_cast<std::size_t>(put.run()), text_of(code));
    }

private:
    static std::string text_of(int code) {
        char text[MPI_MAX_ERROR_STRING];
        int length = 0;
        MPI_Error_string(code, text, &length);
        return {text, static_cast<std::size_t>(length)};
    }

    MPI_Win handle_ = MPI_WIN_NULL;
};

// What each image tells the others.
struct Process {
    int number;
    std::uint64_t word_at, word;  // to be found there if the kernel lets others read
};

std::uint64_t word = 0;

// How each image's memory is reached, and which memory here is.
struct Reach {
    std::vector<int> process;        // of each image that the kernel reaches, 0 of others
    std::unique_ptr<Window> window;  // null: it reaches all, or the transport does
    Reach() { open_component_memory(); }
    ~Reach() { close_component_memory(); }
    Reach(const Reach&) = delete;
    Reach& operator=(const Reach&) = delete;
};

// This image's components: begin and bytes.
std::map<std::uintptr_t, std::size_t>& components() {
    static auto& all = *new std::map<std::uintptr_t, std::size_t>;
    return all;
}

Reach* reach() {
    return base::Attribute<Reach>::of(Context::get().world_communicator());
}

std::vector<Process> exchange(MPI_Comm communicator) {
    int rank = 0, size = 0;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &size);
    word = 0x6b756d6968696d6fU + static_cast<std::uint64_t>(rank);
    const Process mine{getpid(), reinterpret_cast<std::uint64_t>(&word), word};
    std::vector<Process> all(static_cast<std::size_t>(size));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, communicator);
    return all;
}

bool readable(const Process& other) {
    std::uint64_t found = 0;
    const iovec here{&found, sizeof found}, there{reinterpret_cast<void*>(other.word_at), sizeof found};
    return process_vm_readv(other.number, &here, 1, &there, 1, 0) == sizeof found && found == other.word;
}

// Forgets what gfortran has freed: new memory lies there.
void forget_overlapped(Window* window, std::uintptr_t begin, std::size_t bytes) {
    auto& all = components();
    auto next = all.lower_bound(begin);
    if (next != all.begin())
        if (const auto before = std::prev(next); before->first + before->second > begin) next = before;
    while (next != all.end() && next->first < begin + bytes) {
        if (window != nullptr) window->detach(reinterpret_cast<void*>(next->first));
        next = all.erase(next);
    }
}

Window* window() {
    Reach* const how = reach();
    return how == nullptr ? nullptr : how->window.get();
}

void copy(int node, bool to_near, std::byte* near, std::uintptr_t far, const sets::Correspondence& put) {
    Reach& how = *reach();
    if (const int process = how.process[static_cast<std::size_t>(node)])
        KernelCopies::copy(process, node, to_near, near, far, put);
    else if (how.window != nullptr)
        how.window->copy(node, to_near, near, far, put);
    else if (to_near)
        localview::read_process(node, far, near, put.turned());
    else
        localview::write_process(node, far, near, put);
}

}  // namespace

void prepare_window() {
    ::setenv("OMPI_MCA_osc_rdma_max_attach", "16384", 0);  // 64 by itself
    // Open MPI 4 has no windows between machines where several threads may call MPI.
    const std::string transport = base::setting("KUMIHIMO_TRANSPORT");
    if (std::strcmp(base::family_name(), "openmpi") == 0 && transport != "auto" && transport != "messages")
        ::setenv("KUMIHIMO_PROGRESS_THREAD", "off", 0);
}

void prepare_remote_memory() {
    const MPI_Comm communicator = Context::get().world_communicator();
    if (reach() != nullptr) return;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    auto how = std::make_unique<Reach>();
    const std::vector<Process> processes = exchange(communicator);
    const base::Hosts& hosts = base::hosts_of(communicator);
    const auto host = [&](std::size_t node) { return hosts.host_of_rank[node]; };
    int all = 1;
    for (std::size_t node = 0; node < processes.size(); ++node) {
        const bool here = host(node) == host(static_cast<std::size_t>(hosts.my_rank)) && readable(processes[node]);
        how->process.push_back(here ? processes[node].number : 0);
        all &= here ? 1 : 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, communicator);
    const bool by_transport = !all && localview::region_of_processes() != nullptr;
    if (!all && !by_transport) how->window = std::make_unique<Window>(communicator);
    base::log(base::log_start, "components of coarrays on other images: process_vm_readv{}",
              all            ? ""
              : by_transport ? " where it reaches, the transport elsewhere"
                             : " where it reaches, MPI elsewhere");
    base::Attribute<Reach>::keep(communicator, std::move(how));
}

void* allocate_component(std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 1);
    void* const memory = take_component_memory(bytes);
    if (memory == nullptr)
        throw base::Error(fmt::format("no memory for a component of {}", base::bytes_text(bytes)),
                          "Use more machines or a smaller array.");
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    Window* const through = window();
    forget_overlapped(through, begin, bytes);
    components()[begin] = bytes;
    if (through != nullptr) through->attach(memory, bytes);
    return memory;
}

void free_component(void* memory) {
    auto& all = components();
    if (const auto found = all.find(reinterpret_cast<std::uintptr_t>(memory)); found != all.end()) {
        if (Window* const through = window()) through->detach(memory);
        all.erase(found);
    }
    std::free(memory);
}

const void* component_around(const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto next = components().upper_bound(at);
    if (next == components().begin()) return nullptr;
    const auto& [begin, bytes] = *std::prev(next);
    return at - begin < bytes ? reinterpret_cast<const void*>(begin) : nullptr;
}

void read_process(int node, std::uintptr_t address, std::byte* to, const sets::Correspondence& get) {
    copy(node, true, to, address, get.turned());
}

void write_process(int node, std::uintptr_t address, const std::byte* from, const sets::Correspondence& put) {
    copy(node, false, const_cast<std::byte*>(from), address, put);
}

}  // namespace kumihimo::caf
