// ARMCI as transport (ARMCI-MPI, Debian's libarmci-mpi-dev). That library is a static archive of code which is not position
// independent: it cannot be part of a module, only of a program, which then brings this transport with it
// (docs/explanation/transports.md).
#include "runtime/transport/transport.hpp"

#include <algorithm>
#include <complex>
#include <vector>

#include "base/communicator.hpp"
#include "base/error.hpp"
#include "base/family.hpp"
#include "kumihimo/generated.h"
#include "runtime/transport/agreement.hpp"
#include "runtime/transport/armci/block.hpp"
#include "runtime/transport/elements.hpp"
#include "runtime/transport/pending.hpp"
#include "runtime/transport/put_form.hpp"

namespace kumihimo::transport::armci {

namespace {

constexpr std::size_t largest_piece = std::size_t{1} << 30;  // sizes are int

// What ARMCI adds itself, with the factors of a sum and of a difference.
struct Native {
    int kind = 0;
    const void* factor = nullptr;
};

template <typename T>
Native native_of(int kind, Reduction operation) {
    static T plus = T(1), minus = T(-1);
    return {kind, operation == Reduction::sum ? &plus : &minus};
}

// No whole numbers: atomic operations, which are made under the mutex, may be at the same place.
bool native(Reduction operation, int type, Native& found) {
    if (operation != Reduction::sum && operation != Reduction::difference) return false;
    switch (type) {
        case XMP_TYPE_FLOAT:
            found = native_of<float>(ARMCI_ACC_FLT, operation);
            return true;
        case XMP_TYPE_DOUBLE:
            found = native_of<double>(ARMCI_ACC_DBL, operation);
            return true;
        case XMP_TYPE_FLOAT_COMPLEX:
            found = native_of<std::complex<float>>(ARMCI_ACC_CPL, operation);
            return true;
        case XMP_TYPE_DOUBLE_COMPLEX:
            found = native_of<std::complex<double>>(ARMCI_ACC_DCP, operation);
            return true;
        default:
            return false;
    }
}

// ARMCI's counts and strides are ints. One dimension at most: ARMCI makes subarrays of strides, which nest evenly only in whole
// arrays.
struct Row {
    std::byte* near;
    std::byte* far;
    int near_stride, far_stride;
    int count[2];  // bytes of a run, runs
    int levels;
};

template <typename Visit>
void for_each_row_of(const Correspondence& shape, std::byte* near, std::byte* far, Visit& visit) {
    const auto levels = shape.levels();
    const auto fits = [](sets::Index bytes) { return bytes == static_cast<int>(bytes); };
    if (levels.size() > 1 || (levels.size() == 1 && !(fits(levels.front().from) && fits(levels.front().to)))) {
        for (sets::Index step = 0; step < levels.front().count; ++step) for_each_row_of(shape.inside(step), near, far, visit);
        return;
    }
    Row row{near + shape.from(), far + shape.to(), 0, 0, {static_cast<int>(shape.run()), 0}, 0};
    for (const sets::PairedLevel& level : levels) {
        row.near_stride = static_cast<int>(level.from), row.far_stride = static_cast<int>(level.to);
        row.count[1] = static_cast<int>(level.count);
        row.levels = 1;
    }
    visit(row);
}

template <typename Visit>
void for_each_row(const Correspondence& shape, std::size_t unit, const std::byte* near, std::byte* far, Visit&& visit) {
    std::byte* const start = const_cast<std::byte*>(near);  // puts and gets share this
    shape.for_each_piece(static_cast<sets::Index>(largest_piece), static_cast<sets::Index>(unit),
                         [&](const Correspondence& piece) { for_each_row_of(piece, start, far, visit); });
}

class Armci final : public Transport {
public:
    explicit Armci(MPI_Comm parent) : communicator_(base::copy_of(parent)), ranks_(world_ranks(parent)) {}
    ~Armci() override { MPI_Comm_free(&communicator_); }
    Armci(const Armci&) = delete;
    Armci& operator=(const Armci&) = delete;

    std::string name() const override { return "armci"; }
    std::string description() const override { return "ARMCI-MPI over " + base::family_library(); }

    std::unique_ptr<Region> attach(std::byte*, std::size_t, MPI_Comm) override { return nullptr; }
    std::unique_ptr<Region> allocate(std::size_t bytes) override {
        auto block = std::make_unique<Block>(communicator_, ranks_, bytes);
        live_.push_back(block.get());
        return std::make_unique<Handle>(std::move(block), live_);
    }
    void get(Region& region, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) override;
    void put(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) override;
    void accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                    Reduction operation, int type) override;
    std::int64_t atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation, std::int64_t operand,
                        std::int64_t compare) override;
    void fence() override {
        for (Block* const block : live_) {
            for (const int rank : block->pending.dirty()) ARMCI_Fence(world(rank));
            block->pending.all_done();
        }
    }
    void poll() override {
        int ignored = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &ignored, MPI_STATUS_IGNORE);
    }

private:
    // A block that leaves the list of those to be fenced when it ends.
    class Handle final : public Region {
    public:
        Handle(std::unique_ptr<Block> block, std::vector<Block*>& live) : block(std::move(block)), live_(live) {
            local_ = this->block->local();
            bytes_ = this->block->bytes();
        }
        ~Handle() override { live_.erase(std::find(live_.begin(), live_.end(), block.get())); }
        std::unique_ptr<Block> block;

    private:
        std::vector<Block*>& live_;
    };
    class Lock {
    public:
        explicit Lock(int world_rank) : rank_(world_rank) {
            if (needed_) ARMCI_Lock(0, rank_);
        }
        ~Lock() {
            if (needed_) ARMCI_Unlock(0, rank_);
        }
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;

    private:
        int rank_;
        bool needed_ = world_size() > 1;
    };

    static Block& block_of(Region& region) { return *static_cast<Handle&>(region).block; }
    int world(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
    void order(Block& block, int rank, const Pending::Access& access) {
        if (block.pending.empty() || !block.pending.meets(rank, access)) return;
        ARMCI_Fence(world(rank));
        block.pending.done(rank);
    }
    void get_run(Block& block, int rank, std::size_t offset, std::byte* to, std::size_t bytes);
    void put_run(Block& block, int rank, std::size_t offset, const std::byte* from, std::size_t bytes);
    void read(int rank, const std::byte* far, std::byte* to, const Correspondence& shape);
    void write(int rank, std::byte* far, const std::byte* from, const Correspondence& shape);

    MPI_Comm communicator_ = MPI_COMM_NULL;
    std::vector<int> ranks_;
    std::vector<Block*> live_;
};

// A near side that goes back, repeats or is interleaved is packed.
template <typename Send>
void send_nested(const Correspondence& shape, const std::byte* from, Send&& send) {
    const Correspondence simple = shape.ascending(End::to);
    if (simple.nested(End::from)) return send(simple, from);
    const std::vector<std::byte> row = packed(simple, from);
    send(simple.dense(End::from), row.data());
}

void Armci::read(int rank, const std::byte* far, std::byte* to, const Correspondence& shape) {
    const auto read_rows = [&](const Correspondence& part, std::byte* near) {
        for_each_row(part, 1, near, const_cast<std::byte*>(far), [&](Row& row) {
            check(row.levels == 0 ? ARMCI_Get(row.far, row.near, row.count[0], world(rank))
                                  : ARMCI_GetS(row.far, &row.far_stride, row.near, &row.near_stride, row.count, 1, world(rank)),
                  "a get");
        });
    };
    const Correspondence simple = shape.ascending(End::to);
    if (simple.nested(End::from)) return read_rows(simple, to);
    std::vector<std::byte> row(bytes_of(simple));
    read_rows(simple.dense(End::from), row.data());
    unpack(simple, row.data(), to);
}

void Armci::write(int rank, std::byte* far, const std::byte* from, const Correspondence& shape) {
    send_nested(shape, from, [&](const Correspondence& simple, const std::byte* near) {
        for_each_row(simple, 1, near, far, [&](Row& row) {
            check(row.levels == 0 ? ARMCI_Put(row.near, row.far, row.count[0], world(rank))
                                  : ARMCI_PutS(row.near, &row.near_stride, row.far, &row.far_stride, row.count, 1, world(rank)),
                  "a put");
        });
    });
}

void Armci::get(Region& region, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) {
    if (one_run(shape, largest_piece))
        return get_run(block_of(region), rank, offset + static_cast<std::size_t>(shape.from()), to + shape.to(),
                       bytes_of(shape));
    if (shape.bytes() == 0) return;
    Block& block = block_of(region);
    const Correspondence put = shape.turned();
    order(block, rank, access_of(offset, put, 0));
    read(rank, block.at(rank, offset), to, put);
}

void Armci::put(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) {
    if (one_run(shape, largest_piece))
        return put_run(block_of(region), rank, offset + static_cast<std::size_t>(shape.to()), from + shape.from(),
                       bytes_of(shape));
    if (shape.bytes() == 0) return;
    Block& block = block_of(region);
    const Pending::Access access = access_of(offset, shape, 0);
    order(block, rank, access);
    block.pending.add(rank, access);
    write(rank, block.at(rank, offset), from, shape);
}

void Armci::get_run(Block& block, int rank, std::size_t offset, std::byte* to, std::size_t bytes) {
    order(block, rank, run_at(offset, bytes));
    check(ARMCI_Get(block.at(rank, offset), to, static_cast<int>(bytes), world(rank)), "a get");
}

void Armci::put_run(Block& block, int rank, std::size_t offset, const std::byte* from, std::size_t bytes) {
    const Pending::Access access = run_at(offset, bytes);
    order(block, rank, access);
    block.pending.add(rank, access);
    check(ARMCI_Put(const_cast<std::byte*>(from), block.at(rank, offset), static_cast<int>(bytes), world(rank)), "a put");
}

void Armci::accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                       Reduction operation, int type) {
    const Combine combine = combine_of(operation, type);
    if (shape.bytes() == 0) return;
    Block& block = block_of(region);
    std::byte* const far = block.at(rank, offset);
    const std::size_t unit = bytes_of_type(type);
    Native adds;
    const bool natively = native(operation, type, adds);
    const Pending::Access access = access_of(offset, shape, natively ? 1 + type : 0);
    order(block, rank, access);
    if (natively) {
        block.pending.add(rank, access);
        return send_nested(shape, from, [&](const Correspondence& simple, const std::byte* near) {
            for_each_row(simple, unit, near, far, [&](Row& row) {
                void* const factor = const_cast<void*>(adds.factor);
                check(row.levels == 0 ? ARMCI_Acc(adds.kind, factor, row.near, row.far, row.count[0], world(rank))
                                      : ARMCI_AccS(adds.kind, factor, row.near, &row.near_stride, row.far, &row.far_stride,
                                                   row.count, 1, world(rank)),
                      "an accumulate");
            });
        });
    }
    const std::vector<std::byte> operands = packed(shape, from);
    std::vector<std::byte> values(operands.size());
    const Correspondence moved = shape.dense(End::from);
    const Lock lock(world(rank));
    read(rank, far, values.data(), moved);
    combine(values.data(), operands.data(), operands.size() / unit);
    write(rank, far, values.data(), moved);
    ARMCI_Fence(world(rank));
}

// ARMCI has no swap on comparison, and what it has would not be atomic against one made by hand: all under the mutex.
std::int64_t Armci::atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation,
                           std::int64_t operand, std::int64_t compare) {
    Block& block = block_of(region);
    const auto start = static_cast<std::ptrdiff_t>(offset);
    order(block, rank, {start, start + static_cast<std::ptrdiff_t>(bytes), 0});
    const Lock lock(world(rank));
    std::byte* const far = block.at(rank, offset);
    const Correspondence word(static_cast<sets::Index>(bytes));
    std::int64_t before = 0;
    std::int32_t narrow = 0;
    std::byte* const buffer =
        bytes == sizeof narrow ? reinterpret_cast<std::byte*>(&narrow) : reinterpret_cast<std::byte*>(&before);
    read(rank, far, buffer, word);
    if (bytes == sizeof narrow) before = narrow;
    const std::int64_t after = result_of(operation, before, operand, compare);
    if (operation != Atomic::ref) {
        std::int64_t wide = after;
        narrow = static_cast<std::int32_t>(after);
        write(rank, far, bytes == sizeof narrow ? reinterpret_cast<std::byte*>(&narrow) : reinterpret_cast<std::byte*>(&wide),
              word);
        ARMCI_Fence(world(rank));
    }
    return before;
}

Transport* make_armci(MPI_Comm communicator) {
    together(communicator, [&] {
        int size = 0;
        MPI_Comm_size(communicator, &size);
        if (size != world_size())
            throw base::Error("ARMCI reaches all processes of MPI_COMM_WORLD or none, and XcalableMP runs on some of them",
                              "Start XcalableMP on MPI_COMM_WORLD, or set KUMIHIMO_TRANSPORT=mpi.");
        start();
    });
    return new Armci(communicator);
}

const Module module = {module_version, "armci", make_armci};

[[gnu::constructor]] void bring() {
    kumihimo_add_transport(&module);
}

}  // namespace

}  // namespace kumihimo::transport::armci

// What the linker is asked for, so that this object becomes part of a program.
extern "C" const int kumihimo_transport_armci = 1;
