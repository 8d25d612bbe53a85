// Put, get and accumulate from rank 0 to the memory of rank 1, each completed at the target before it ends (MPI_Win_flush).
#include <algorithm>

#include "bench/measure/operations.hpp"

namespace kumihimo::bench {

namespace {

constexpr int origin = 0, target = 1;

// MPICH 4.0 takes parts of a page for the memory of another rank: what is put there does not arrive.
std::size_t whole_pages(std::size_t bytes) {
    return (bytes / 4096 + 1) * 4096;
}

// Memory of every rank that others may access, in an access epoch from beginning to end.
class Window {
public:
    Window(const Place& place, std::int64_t bytes) : comm_(place.comm()), size_(static_cast<std::size_t>(bytes)) {
        MPI_Win_allocate(static_cast<MPI_Aint>(whole_pages(size_)), 1, MPI_INFO_NULL, comm_, &start_, &window_);
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    }
    ~Window() {
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    MPI_Win handle() const { return window_; }
    std::span<std::byte> bytes() const { return {start_, size_}; }
    std::span<std::uint32_t> words() const { return {reinterpret_cast<std::uint32_t*>(start_), size_ / 4}; }
    // Own stores become visible to the others and theirs to us (MPI 4.0, 12.7: the unified model needs both).
    void settle() const {
        MPI_Win_sync(window_);
        MPI_Barrier(comm_);
        MPI_Win_sync(window_);
    }

private:
    MPI_Comm comm_;
    std::size_t size_;
    std::byte* start_ = nullptr;
    MPI_Win window_ = MPI_WIN_NULL;
};

class OneSided : public Kernel {
public:
    OneSided(const Place& place, std::int64_t bytes)
        : rank_(place.rank()),
          count_(static_cast<int>(bytes)),
          window_(place, bytes),
          local_(static_cast<std::size_t>(bytes)) {}

protected:
    void issue(MPI_Request*) override {
        ++calls_;
        if (rank_ != origin) return;
        move();
        MPI_Win_flush(target, window_.handle());
    }
    virtual void move() = 0;

    int rank_, count_;
    std::uint32_t calls_ = 0;  // on every rank, since the data was forgotten
    Window window_;
    Memory local_;
};

class Put : public OneSided {
public:
    Put(const Place& place, std::int64_t bytes) : OneSided(place, bytes) { fill_block(local_.bytes(), label(origin, target)); }
    void forget() override {
        std::ranges::fill(window_.bytes(), std::byte{0xA5});
        window_.settle();
    }
    std::int64_t wrong() const override {
        window_.settle();
        return rank_ == target ? wrong_bytes(window_.bytes(), label(origin, target)) : 0;
    }

protected:
    void move() override { MPI_Put(local_.data(), count_, MPI_BYTE, target, 0, count_, MPI_BYTE, window_.handle()); }
};

class Get : public OneSided {
public:
    Get(const Place& place, std::int64_t bytes) : OneSided(place, bytes) {
        fill_block(window_.bytes(), label(place.rank(), origin));
        window_.settle();
    }
    void forget() override { local_.forget(); }
    std::int64_t wrong() const override { return rank_ == origin ? wrong_bytes(local_.bytes(), label(target, origin)) : 0; }

protected:
    void move() override { MPI_Get(local_.data(), count_, MPI_BYTE, target, 0, count_, MPI_BYTE, window_.handle()); }
};

// Element i of the target grows by i + 1 in each call.
class Accumulate : public OneSided {
public:
    Accumulate(const Place& place, std::int64_t bytes) : OneSided(place, bytes) {
        std::uint32_t* operand = reinterpret_cast<std::uint32_t*>(local_.data());
        for (std::size_t i = 0; i < window_.words().size(); ++i) operand[i] = static_cast<std::uint32_t>(i) + 1;
    }
    void forget() override {
        calls_ = 0;
        std::ranges::fill(window_.words(), 0U);
        window_.settle();
    }
    std::int64_t wrong() const override {
        window_.settle();
        std::int64_t wrong = 0;
        for (std::size_t i = 0; rank_ == target && i < window_.words().size(); ++i)
            if (window_.words()[i] != calls_ * (static_cast<std::uint32_t>(i) + 1)) ++wrong;
        return wrong;
    }

protected:
    void move() override {
        MPI_Accumulate(local_.data(), count_ / 4, MPI_UINT32_T, target, 0, count_ / 4, MPI_UINT32_T, MPI_SUM, window_.handle());
    }
};

template <typename One>
std::unique_ptr<Kernel> make(const Place& place, std::int64_t bytes) {
    return std::make_unique<One>(place, bytes);
}

constexpr Operation one_sided_table[] = {
    {.name = "Put", .make = make<Put>, .blocks = 2, .blocks_per_rank = 0, .least_ranks = 2, .participants = 1},
    {.name = "Get", .make = make<Get>, .blocks = 2, .blocks_per_rank = 0, .least_ranks = 2, .participants = 1},
    {.name = "Accumulate",
     .make = make<Accumulate>,
     .blocks = 2,
     .blocks_per_rank = 0,
     .least_ranks = 2,
     .elements = true,
     .participants = 1},
};

}  // namespace

std::span<const Operation> one_sided_operations() {
    return one_sided_table;
}

}  // namespace kumihimo::bench
