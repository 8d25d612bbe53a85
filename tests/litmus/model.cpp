// All protocols in the C++ memory model, by the Relacy race detector: no execution that it allows may break one, and each
// must break where the order that it relies on is left out.
//   test_litmus_model EXECUTIONS
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <relacy/relacy.hpp>

#include "tests/litmus/protocols.hpp"

namespace {

using litmus::Order;

constexpr rl::memory_order order_of(Order order) {
    constexpr rl::memory_order all[] = {rl::mo_relaxed, rl::mo_acquire, rl::mo_release, rl::mo_acq_rel, rl::mo_seq_cst};
    return all[static_cast<int>(order)];
}

struct Model {
    template <typename T>
    class Atomic {
    public:
        Atomic() : value_(0) {}
        T load(Order order) { return value_.load(order_of(order), $); }
        void store(T value, Order order) { value_.store(value, order_of(order), $); }
        T exchange(T value, Order order) { return value_.exchange(value, order_of(order), $); }
        T fetch_or(T bits, Order order) { return value_.fetch_or(bits, order_of(order), $); }
        bool compare_exchange(T& before, T after, Order order) {
            return value_.compare_exchange_strong(before, after, order_of(order), $, rl::mo_relaxed, $);
        }

    private:
        rl::atomic<T> value_;
    };
    // An access at the same time as a write is found.
    template <typename T>
    class Plain {
    public:
        Plain() : value_(0) {}
        T get() { return value_($); }
        void set(T value) { value_($) = value; }

    private:
        rl::var<T> value_;
    };
    static void fence(Order order) {
        if (order != Order::relaxed) rl::atomic_thread_fence(order_of(order), $);
    }
    static void check(bool holds) { RL_ASSERT(holds); }
    template <typename Ready>
    static void wait(Ready&& ready) {
        while (!ready()) rl::yield(1, $);
    }
};

template <typename Protocol>
struct Test : rl::test_suite<Test<Protocol>, Protocol::threads> {
    Protocol protocol;
    void thread(unsigned index) { protocol.run(index); }
    void after() {
        if constexpr (requires { protocol.after(); }) protocol.after();
    }
};

template <typename Protocol>
bool holds(unsigned executions) {
    rl::test_params parameters;
    std::ostream nowhere(nullptr);  // takes how a failure came about
    parameters.iteration_count = executions;
    parameters.output_stream = &nowhere;
    parameters.progress_stream = &nowhere;
    return rl::simulate<Test<Protocol>>(parameters);
}

int failures = 0;

template <template <typename, bool> typename Protocol>
void check(const char* name, unsigned executions) {
    const bool right = holds<Protocol<Model, false>>(executions), found = !holds<Protocol<Model, true>>(executions);
    std::printf("%s: %s; without its order: %s\n", name, right ? "holds" : "BREAKS", found ? "breaks" : "NOT FOUND");
    failures += !right + !found;
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned executions = argc > 1 ? static_cast<unsigned>(std::atol(argv[1])) : 2000;
    check<litmus::TwoSlots>("two slots", executions);
    check<litmus::CounterAndFlag>("counter and flag", executions);
    check<litmus::Lane>("lane", executions);
    check<litmus::GrowingRecord>("growing record", executions);
    check<litmus::Sleeping>("sleeping", executions);
    check<litmus::Lock>("lock", executions);
    check<litmus::Report>("report", executions);
    return failures != 0;
}
