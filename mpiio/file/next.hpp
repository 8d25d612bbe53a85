// The definitions of MPI functions that come after this library in the link order: another tool's, else the MPI library's.
// What is not served goes there untouched; what the library itself needs of MPI_File_* must go there too, since the plain
// names are its own entry points.
//
//     constinit Next<decltype(PMPI_File_close)> close_real{"PMPI_File_close"};
//     close_real(&handle);
#pragma once

#include <mpi.h>

#include <atomic>
#include <type_traits>

namespace kumihimo::mpiio {

// The address, or nullptr after a message: the MPI library in this process is older than the mpi.h of the build.
void* find_next(const char* name);

template <typename Function>
class Next;

// Looked up at the first call and kept: later calls cost a load and a jump.
template <typename Result, typename... Arguments>
class Next<Result(Arguments...)> {
public:
    using Pointer = Result (*)(Arguments...);

    constexpr explicit Next(const char* name) : name_(name) {}

    Result operator()(Arguments... arguments) {
        Pointer function = function_.load(std::memory_order_relaxed);
        if (function == nullptr) [[unlikely]]
            function = find();
        return function(arguments...);
    }

private:
    Pointer find() {
        void* const found = find_next(name_);
        const Pointer function = found == nullptr ? &absent : reinterpret_cast<Pointer>(found);
        function_.store(function, std::memory_order_relaxed);
        return function;
    }
    static Result absent(Arguments...) {
        if constexpr (std::is_same_v<Result, int>)
            return MPI_ERR_INTERN;
        else
            return Result{};
    }

    const char* name_;
    std::atomic<Pointer> function_{nullptr};
};

}  // namespace kumihimo::mpiio
