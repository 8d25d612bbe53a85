// The definition of a function that comes after a preloaded or linked library in the link order: what the library itself
// defines and does not want to do goes there. `find` looks the name up; null after a message of its own if there is none.
//
//     constinit Next<decltype(PMPI_File_close), find_next> close_real{"PMPI_File_close"};
//     close_real(&handle);
#pragma once

#include <mpi.h>

#include <atomic>
#include <type_traits>

namespace kumihimo::base {

template <typename Function, void* (*find)(const char*)>
class Next;

// Looked up at the first call and kept: later calls cost a load and a jump.
template <typename Result, typename... Arguments, void* (*find)(const char*)>
class Next<Result(Arguments...), find> {
public:
    using Pointer = Result (*)(Arguments...);

    constexpr explicit Next(const char* name) : name_(name) {}

    Result operator()(Arguments... arguments) {
        Pointer function = function_.load(std::memory_order_relaxed);
        if (function == nullptr) [[unlikely]]
            function = look_up();
        return function(arguments...);
    }

private:
    Pointer look_up() {
        void* const found = find(name_);
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

}  // namespace kumihimo::base
