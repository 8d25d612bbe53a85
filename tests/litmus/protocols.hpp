// The protocols by which processes share memory, stripped to their steps (docs/explanation/memory-order.md): what is stored and
// loaded in which order, and what must hold. M is the machine: threads on this processor (native.cpp), or the C++ memory model
// with all that it allows (model.cpp). `weak` leaves out the order that a protocol relies on: a checker must find that.
#pragma once

#include <cstdint>

namespace litmus {

enum class Order { relaxed, acquire, release, acq_rel, seq_cst };
using Number = std::uint64_t;

constexpr Order unless(bool weak, Order order) {
    return weak ? Order::relaxed : order;
}

// Notices in two slots by turns (teams/team, halo_channel, mpiio's noticeboard, localview/desks): a member writes notice
// n + 2 only when it has seen everybody's n + 1, and so everybody has read its n.
template <typename M, bool weak>
struct TwoSlots {
    static constexpr int threads = 2;
    static constexpr Number epochs = 4;
    struct Desk {
        typename M::template Atomic<Number> epoch[2];
        typename M::template Plain<Number> data[2];
    } desk[threads];

    static Number said(unsigned member, Number epoch) { return 100 * member + epoch; }
    void run(unsigned me) {
        for (Number epoch = 1; epoch <= epochs; ++epoch) {
            desk[me].data[epoch % 2].set(said(me, epoch));
            desk[me].epoch[epoch % 2].store(epoch, unless(weak, Order::release));
            const unsigned other = 1 - me;
            M::wait([&] { return desk[other].epoch[epoch % 2].load(Order::acquire) >= epoch; });
            M::check(desk[other].data[epoch % 2].get() == said(other, epoch));
        }
    }
};

// A counter and a flag that says that some counter is worth a look (localview/mailbox: somebody_failed, somebody_ended).
template <typename M, bool weak>
struct CounterAndFlag {
    static constexpr int threads = 2;
    typename M::template Plain<Number> data;
    typename M::template Atomic<Number> counter, flag;

    void run(unsigned me) {
        if (me == 0) {
            data.set(7);
            counter.store(1, Order::release);
            flag.store(1, unless(weak, Order::release));
        } else if (flag.load(Order::acquire) != 0) {
            M::check(counter.load(Order::acquire) == 1);
            M::check(data.get() == 7);
        }
    }
};

// Message parts through a few slots (collectives/executor/node_messages): full when its number is the one expected, free
// again when the receiver has counted it.
template <typename M, bool weak>
struct Lane {
    static constexpr int threads = 2;
    static constexpr Number slots = 2, messages = 5;
    typename M::template Atomic<Number> consumed;
    struct Slot {
        typename M::template Atomic<Number> number;
        typename M::template Plain<Number> data;
    } slot[slots];

    void run(unsigned me) {
        for (Number number = 1; number <= messages; ++number) {
            Slot& one = slot[number % slots];
            if (me == 0) {
                M::wait([&] { return number - 1 - consumed.load(Order::acquire) < slots; });
                one.data.set(10 * number);
                one.number.store(number, Order::release);
            } else {
                M::wait([&] { return one.number.load(Order::acquire) == number; });
                M::check(one.data.get() == 10 * number);
                consumed.store(number, unless(weak, Order::release));
            }
        }
    }
};

// A record that grows while the agent may take it (iod/ring): what it took is all that it reads.
template <typename M, bool weak>
struct GrowingRecord {
    static constexpr int threads = 2;
    static constexpr Number taken = 1 << 10;
    typename M::template Atomic<Number> written, state;
    typename M::template Plain<Number> data[2];

    void run(unsigned me) {
        if (me == 0) {
            data[0].set(1);
            state.store(1, Order::relaxed);
            written.store(1, Order::release);
            data[1].set(2);
            Number before = state.load(Order::relaxed);
            if ((before & taken) == 0 && state.compare_exchange(before, before + 1, unless(weak, Order::release)))
                written.store(2, Order::release);
        } else {
            M::wait([&] { return written.load(Order::acquire) != 0; });
            const Number length = state.fetch_or(taken, Order::acquire) & (taken - 1);
            for (Number i = 0; i < length; ++i) M::check(data[i].get() == i + 1);
        }
    }
};

// Falling asleep beside somebody who brings work (iod/ring: agent_sleeps, rank_waits): one of the two sees the other.
template <typename M, bool weak>
struct Sleeping {
    static constexpr int threads = 2;
    typename M::template Atomic<Number> written, sleeps;
    typename M::template Plain<Number> stays_asleep, unnoticed;

    void run(unsigned me) {
        if (me == 0) {
            written.store(1, Order::release);
            M::fence(unless(weak, Order::seq_cst));
            unnoticed.set(weak ? sleeps.load(Order::relaxed) == 0 : sleeps.exchange(0, Order::seq_cst) == 0);
        } else {
            sleeps.store(1, Order::relaxed);
            M::fence(unless(weak, Order::seq_cst));
            stays_asleep.set(written.load(Order::acquire) == 0);
        }
    }
    void after() { M::check(!(stays_asleep.get() != 0 && unnoticed.get() != 0)); }
};

// A lock by exchange (localview/target_lock).
template <typename M, bool weak>
struct Lock {
    static constexpr int threads = 2;
    static constexpr Number rounds = 2;
    typename M::template Atomic<Number> taken;
    typename M::template Plain<Number> sum;

    void run(unsigned) {
        for (Number round = 0; round < rounds; ++round) {
            M::wait([&] { return taken.exchange(1, Order::acquire) == 0; });
            sum.set(sum.get() + 1);
            taken.store(0, unless(weak, Order::release));
        }
    }
    void after() { M::check(sum.get() == threads * rounds); }
};

// A report that others read while its owner changes it (execution/watchdog): an odd version is half a report.
template <typename M, bool weak>
struct Report {
    static constexpr int threads = 2;
    static constexpr Number reports = 2;
    typename M::template Atomic<Number> version, half[2];

    void run(unsigned me) {
        for (Number report = 1; report <= reports; ++report) {
            if (me == 0) {
                const Number before = version.load(Order::relaxed);
                version.store(before + 1, Order::relaxed);
                M::fence(unless(weak, Order::release));
                for (auto& one : half) one.store(report, Order::relaxed);
                version.store(before + 2, Order::release);
            } else {
                const Number before = version.load(Order::acquire);
                const Number first = half[0].load(Order::relaxed), second = half[1].load(Order::relaxed);
                M::fence(Order::acquire);
                if (before % 2 == 0 && version.load(Order::relaxed) == before) M::check(first == second);
            }
        }
    }
};

}  // namespace litmus
