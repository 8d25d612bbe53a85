#include "runtime/transport/mpi/window.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/communicator.hpp"
#include "base/error.hpp"
#include "base/family.hpp"
#include "base/format.hpp"
#include "base/one_sided.hpp"
#include "runtime/transport/agreement.hpp"

namespace kumihimo::transport::mpi {

namespace {

// glibc's memcpy inside MPI falls to a sixteenth of its speed where source and destination differ by a little modulo the page
// size (`rep movsb` on Zen 4), which two page-aligned allocations do: ours start inside a page.
constexpr MPI_Aint page_stagger = 2048 + 64;

// Coarrays are read and written by plain loads and stores between the synchronisations, so both copies must be one.
void require_unified(MPI_Win handle) {
    int* model = nullptr;
    int found = 0;
    MPI_Win_get_attr(handle, MPI_WIN_MODEL, &model, &found);
    if (!found || *model != MPI_WIN_UNIFIED)
        throw base::Error(
            "this MPI has windows with separate copies only (MPI_WIN_SEPARATE) where coarrays need MPI_WIN_UNIFIED",
            "Use another MPI library, or another transport.");
}

void check_made(int code, const char* what) {
    if (code != MPI_SUCCESS) fail(code, what, base::one_sided_advice());
}

bool shared(MPI_Win handle) {
    int* flavor = nullptr;
    int found = 0;
    MPI_Win_get_attr(handle, MPI_WIN_CREATE_FLAVOR, &flavor, &found);
    return found != 0 && *flavor == MPI_WIN_FLAVOR_SHARED;
}

// Open MPI 4 crashes in 8-byte swaps on windows that are not shared ones, on some images (osc/rdma without network hardware).
bool swaps_8_bytes(MPI_Win handle) {
    return shared(handle) || !base::family_library().starts_with("Open MPI v4");
}

// Open MPI copies to shared windows (osc/sm) before a call returns, and a flush is a memory barrier; MPICH sends messages.
bool completes_promptly(MPI_Win handle) {
    return shared(handle) && base::family_library().starts_with("Open MPI");
}

}  // namespace

Window::Window(Dirty& dirty, MPI_Win handle, std::byte* local, std::size_t bytes, std::vector<MPI_Aint> starts)
    : dirty_(dirty),
      handle_(handle),
      starts_(std::move(starts)),
      swaps_8_(swaps_8_bytes(handle)),
      prompt_(completes_promptly(handle)) {
    local_ = local;
    bytes_ = bytes;
    MPI_Win_set_errhandler(handle_, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, handle_);  // nobody ever locks exclusively
}

Window::~Window() {
    if (listed_) dirty_.erase(std::find(dirty_.begin(), dirty_.end(), this));
    MPI_Win_unlock_all(handle_);
    MPI_Win_free(&handle_);
}

namespace {

// A communicator whose errors return to the caller while this lives.
class Returning {
public:
    explicit Returning(MPI_Comm communicator) : communicator_(communicator) {
        MPI_Comm_get_errhandler(communicator_, &before_);
        MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    }
    ~Returning() {
        MPI_Comm_set_errhandler(communicator_, before_);
        MPI_Errhandler_free(&before_);
    }
    Returning(const Returning&) = delete;
    Returning& operator=(const Returning&) = delete;

private:
    MPI_Comm communicator_;
    MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

// The number in `members` of each rank of the communicator; empty if they number alike.
std::vector<int> numbers_in(MPI_Comm communicator, MPI_Comm members) {
    int comparison = MPI_UNEQUAL, size = 0;
    MPI_Comm_compare(communicator, members, &comparison);
    if (comparison == MPI_IDENT || comparison == MPI_CONGRUENT) return {};
    MPI_Comm_size(communicator, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size)), numbers(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    MPI_Comm_group(communicator, &all);
    MPI_Comm_group(members, &some);
    MPI_Group_translate_ranks(all, size, ranks.data(), some, numbers.data());
    MPI_Group_free(&all);
    MPI_Group_free(&some);
    return numbers;
}

}  // namespace

std::unique_ptr<Window> Window::over(MPI_Comm communicator, MPI_Comm members, std::byte* memory, std::size_t bytes,
                                     Dirty& dirty) {
    const Returning errors(members);
    MPI_Win handle = MPI_WIN_NULL;
    const int code = MPI_Win_create(memory, static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, members, &handle);
    int made = code == MPI_SUCCESS, anywhere = 0;
    MPI_Allreduce(&made, &anywhere, 1, MPI_INT, MPI_MAX, members);
    if (!anywhere) return nullptr;
    together(members, [&] { check_made(code, "MPI_Win_create"); });
    std::unique_ptr<Window> window(new Window(dirty, handle, memory, bytes, {}));
    window->numbers_ = numbers_in(communicator, members);
    together(members, [&] { require_unified(handle); });
    return window;
}

namespace {

// On one machine a shared window: Open MPI's other ones are slower there, and crash in some swaps. Elsewhere MPICH 4.0 shares
// the memory of a machine's images, too; unless each has pages of its own, it puts what comes from other machines in wrong
// places.
int allocate_window(MPI_Aint size, MPI_Comm communicator, std::byte** memory, MPI_Win* handle) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");  // each image's pages near it
    const auto allocate = base::on_one_machine(communicator) ? MPI_Win_allocate_shared : MPI_Win_allocate;
    const int code = allocate(size, 1, info, communicator, memory, handle);
    MPI_Info_free(&info);
    return code;
}

}  // namespace

namespace {

// Where this image's block starts in its memory: staggered, and on a cache line of its own.
MPI_Aint start_in(const std::byte* memory) {
    constexpr std::uintptr_t line = 64;
    return page_stagger + static_cast<MPI_Aint>((line - reinterpret_cast<std::uintptr_t>(memory) % line) % line);
}

std::vector<MPI_Aint> gather_starts(MPI_Comm communicator, MPI_Aint mine) {
    int size = 0;
    MPI_Comm_size(communicator, &size);
    std::vector<MPI_Aint> starts(static_cast<std::size_t>(size));
    MPI_Allgather(&mine, 1, MPI_AINT, starts.data(), 1, MPI_AINT, communicator);
    return starts;
}

}  // namespace

std::unique_ptr<Window> Window::allocate(MPI_Comm communicator, std::size_t bytes, Dirty& dirty) {
    MPI_Win handle = MPI_WIN_NULL;
    std::byte* memory = nullptr;
    const MPI_Aint size = static_cast<MPI_Aint>(bytes) + page_stagger + 64;
    together(communicator, [&] { check_made(allocate_window(size, communicator, &memory, &handle), "allocating a window"); });
    const MPI_Aint start = start_in(memory);
    std::unique_ptr<Window> window(new Window(dirty, handle, memory + start, bytes, gather_starts(communicator, start)));
    together(communicator, [&] { require_unified(handle); });
    if (bytes > 0) std::memset(window->local(), 0, bytes);
    check(MPI_Win_sync(handle), "MPI_Win_sync");
    MPI_Barrier(communicator);
    return window;
}

void Window::complete() {
    if (pending_.dirty().size() == 1) {
        flush(pending_.dirty().front());
    } else if (!pending_.dirty().empty()) {
        check(MPI_Win_flush_all(handle_), "completing transfers to the images");
        pending_.all_done();
    }
    if (listed_) dirty_.erase(std::find(dirty_.begin(), dirty_.end(), this));
    listed_ = false;
}

}  // namespace kumihimo::transport::mpi
