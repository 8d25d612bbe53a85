// A schedule that is computed while it is read. An algorithm is a coroutine that yields one step after the other, so a rank's
// schedule takes the memory of the algorithm's few local variables, whatever the number of segments and ranks: a simulator can
// hold those of 82,944 ranks. `co_yield step` gives the step's index, for the dependencies of later
// ones. It must not be an operand of ?: (gcc 12 then runs both); `co_yield(condition ? a : b)` is as good.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "collectives/schedule.hpp"

namespace kumihimo::collectives {

class Steps {
public:
    struct promise_type {
        Step step;
        StepIndex yielded = 0;
        std::exception_ptr failure;

        struct Yielded {
            StepIndex index;
            bool await_ready() const noexcept { return false; }
            void await_suspend(std::coroutine_handle<>) const noexcept {}
            StepIndex await_resume() const noexcept { return index; }
        };

        Steps get_return_object() { return Steps(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() const noexcept { return {}; }
        std::suspend_always final_suspend() const noexcept { return {}; }
        Yielded yield_value(const Step& next) noexcept {
            step = next;
            return {yielded++};
        }
        void return_void() const noexcept {}
        void unhandled_exception() noexcept { failure = std::current_exception(); }
    };

    Steps(Steps&& other) noexcept : coroutine_(std::exchange(other.coroutine_, {})) {}
    Steps& operator=(Steps&& other) noexcept {
        std::swap(coroutine_, other.coroutine_);
        return *this;
    }
    ~Steps() {
        if (coroutine_) coroutine_.destroy();
    }

    // The next step; null at the end. It is valid until the next call.
    const Step* next() {
        coroutine_.resume();
        if (promise_type& promise = coroutine_.promise(); promise.failure) std::rethrow_exception(promise.failure);
        return coroutine_.done() ? nullptr : &coroutine_.promise().step;
    }

private:
    explicit Steps(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}

    std::coroutine_handle<promise_type> coroutine_;
};

}  // namespace kumihimo::collectives
