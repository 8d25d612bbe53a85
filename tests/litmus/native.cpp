// All protocols by threads on the processor that runs this: many times, and started together.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/litmus/protocols.hpp"
#include "tests/support/long_form.hpp"

namespace {

using litmus::Order;

constexpr std::memory_order order_of(Order order) {
    constexpr std::memory_order all[] = {std::memory_order_relaxed, std::memory_order_acquire, std::memory_order_release,
                                         std::memory_order_acq_rel, std::memory_order_seq_cst};
    return all[static_cast<int>(order)];
}

struct Native {
    template <typename T>
    class alignas(64) Atomic {
    public:
        T load(Order order) const { return value_.load(order_of(order)); }
        void store(T value, Order order) { value_.store(value, order_of(order)); }
        T exchange(T value, Order order) { return value_.exchange(value, order_of(order)); }
        T fetch_or(T bits, Order order) { return value_.fetch_or(bits, order_of(order)); }
        bool compare_exchange(T& before, T after, Order order) {
            return value_.compare_exchange_strong(before, after, order_of(order), std::memory_order_relaxed);
        }

    private:
        std::atomic<T> value_{0};
    };
    template <typename T>
    class alignas(64) Plain {
    public:
        T get() const { return value_; }
        void set(T value) { value_ = value; }

    private:
        T value_ = 0;
    };
    static void fence(Order order) { std::atomic_thread_fence(order_of(order)); }
    static void check(bool holds) {
        if (!holds) ++broken;
    }
    template <typename Ready>
    static void wait(Ready&& ready) {
        for (int polls = 1; !ready(); ++polls)
            if (polls % 100 == 0) std::this_thread::yield();
    }
    static inline std::atomic<int> broken{0};
};

template <typename Protocol>
class Litmus : public testing::Test {};

using Protocols = testing::Types<litmus::TwoSlots<Native, false>, litmus::CounterAndFlag<Native, false>,
                                 litmus::Lane<Native, false>, litmus::GrowingRecord<Native, false>,
                                 litmus::Sleeping<Native, false>, litmus::Lock<Native, false>, litmus::Report<Native, false>>;
struct Names {
    template <typename>
    static std::string GetName(int number) {
        constexpr const char* all[] = {"TwoSlots", "CounterAndFlag", "Lane", "GrowingRecord", "Sleeping", "Lock", "Report"};
        return all[number];
    }
};
TYPED_TEST_SUITE(Litmus, Protocols, Names);

TYPED_TEST(Litmus, Holds) {
    const std::size_t rounds = kumihimo::support::long_form() ? 50'000 : 200;
    Native::broken = 0;
    const auto all = std::make_unique<TypeParam[]>(rounds);
    std::vector<std::thread> threads;
    std::atomic<std::size_t> arrived{0};
    for (unsigned me = 0; me < TypeParam::threads; ++me)
        threads.emplace_back([&, me] {
            for (std::size_t round = 0; round < rounds; ++round) {
                ++arrived;
                Native::wait([&] { return arrived.load() >= (round + 1) * TypeParam::threads; });
                all[round].run(me);
            }
        });
    for (std::thread& thread : threads) thread.join();
    if constexpr (requires { all[0].after(); })
        for (std::size_t round = 0; round < rounds; ++round) all[round].after();
    EXPECT_EQ(Native::broken, 0);
}

}  // namespace
