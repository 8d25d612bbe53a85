#include "mpiio/file/handlers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>

namespace kumihimo::mpiio::handlers {

namespace {

// A function of MPI carries no data, so there is one for each of the program's; more than these are called without us.
constexpr std::size_t most = 64;
using Function = MPI_File_errhandler_function*;
std::array<std::atomic<Function>, most> functions;

// What libraries pass besides depends on the library (MPI 3.1, section 8.3), and is not passed on.
template <std::size_t I>
void stand_in(MPI_File* file, int* code, ...) {
    int* const mine = std::exchange(answer(), nullptr);
    functions[I].load()(file, code);
    if (mine != nullptr) *mine = *code;
}

template <std::size_t... I>
constexpr std::array<Function, most> make_stand_ins(std::index_sequence<I...>) {
    return {stand_in<I>...};
}
constexpr std::array<Function, most> stand_ins = make_stand_ins(std::make_index_sequence<most>());

}  // namespace

int*& answer() {
    static thread_local int* here = nullptr;
    return here;
}

Function stand_in_for(Function function) {
    static std::mutex mutex;
    static std::size_t used = 0;
    const std::lock_guard lock(mutex);
    if (std::ranges::find(stand_ins, function) != stand_ins.end()) return function;  // MPI_ calls PMPI_, which is ours, too
    const auto end = functions.begin() + used;
    const auto found = std::find(functions.begin(), end, function);
    if (found == end && used == most) return function;
    if (found == end) functions[used++] = function;
    return stand_ins[static_cast<std::size_t>(found - functions.begin())];
}

}  // namespace kumihimo::mpiio::handlers
