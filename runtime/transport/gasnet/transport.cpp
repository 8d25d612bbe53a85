// GASNet-EX as transport: its puts and gets, VIS for strided ones, active messages for accumulates and atomics, which the
// image that has the elements works off one after the other. A module for each conduit.
#include "runtime/transport/transport.hpp"

#include <gasnet_vis.h>
#include <gasnetex.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <vector>

#include "base/communicator.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/transport/agreement.hpp"
#include "runtime/transport/elements.hpp"
#include "runtime/transport/gasnet/job.hpp"
#include "runtime/transport/pending.hpp"
#include "runtime/transport/put_form.hpp"

namespace kumihimo::transport::gasnet {

namespace {

// ---- active messages ----

enum Handler : gex_AM_Index_t { accumulate_request = GEX_AM_INDEX_BASE, accumulate_reply, atomic_request, atomic_reply };

long accumulates_under_way = 0;  // of this image; GASNet and this runtime are used by one thread at a time

struct AccumulateHead {
    std::byte* far;
    Correspondence shape;  // to: the elements here; from: the operands behind this head, without gaps
    Reduction operation;
    int type;
};

struct AtomicQuestion {
    std::byte* far;
    std::size_t bytes;
    Atomic operation;
    std::int64_t operand, compare;
    struct AtomicAnswer* answer;  // at the asking image
};
struct AtomicAnswer {
    std::int64_t before;
    volatile bool here;
};
struct AtomicAnswerMessage {
    std::int64_t before;
    AtomicAnswer* answer;
};

void on_accumulate(gex_Token_t token, void* message, std::size_t bytes) {
    AccumulateHead head;
    std::memcpy(&head, message, sizeof head);
    const std::byte* const operands = static_cast<const std::byte*>(message) + sizeof head;
    const Combine combine = combine_of(head.operation, head.type);
    const std::size_t unit = bytes_of_type(head.type), run = static_cast<std::size_t>(head.shape.run()) / unit;
    if (bytes >= sizeof head)
        head.shape.for_each_run([&](std::ptrdiff_t to, std::ptrdiff_t from) { combine(head.far + to, operands + from, run); });
    gex_AM_ReplyShort0(token, accumulate_reply, 0);
}

void on_accumulated(gex_Token_t) {
    --accumulates_under_way;
}

template <typename T>
std::int64_t apply_atomic(const AtomicQuestion& question) {
    T before;
    std::memcpy(&before, question.far, sizeof before);
    const T after = static_cast<T>(
        result_of(question.operation, before, static_cast<T>(question.operand), static_cast<T>(question.compare)));
    std::memcpy(question.far, &after, sizeof after);
    return before;
}

void on_atomic(gex_Token_t token, void* message, std::size_t) {
    AtomicQuestion question;
    std::memcpy(&question, message, sizeof question);
    const std::int64_t before =
        question.bytes == sizeof(std::int32_t) ? apply_atomic<std::int32_t>(question) : apply_atomic<std::int64_t>(question);
    AtomicAnswerMessage answer{before, question.answer};
    gex_AM_ReplyMedium0(token, atomic_reply, &answer, sizeof answer, GEX_EVENT_NOW, 0);
}

void on_answer(gex_Token_t, void* message, std::size_t) {
    AtomicAnswerMessage answer;
    std::memcpy(&answer, message, sizeof answer);
    answer.answer->before = answer.before;
    answer.answer->here = true;
}

gex_AM_Entry_t handlers[] = {
    {accumulate_request, reinterpret_cast<gex_AM_Fn_t>(on_accumulate), GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 0, nullptr,
     "accumulate"},
    {accumulate_reply, reinterpret_cast<gex_AM_Fn_t>(on_accumulated), GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 0, nullptr,
     "accumulated"},
    {atomic_request, reinterpret_cast<gex_AM_Fn_t>(on_atomic), GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 0, nullptr, "atomic"},
    {atomic_reply, reinterpret_cast<gex_AM_Fn_t>(on_answer), GEX_FLAG_AM_REPLY | GEX_FLAG_AM_MEDIUM, 0, nullptr, "answer"},
};

// ---- the transport ----

constexpr std::size_t any_bytes = std::numeric_limits<std::size_t>::max();  // GASNet counts in them

class Gasnet final : public Transport {
public:
    Gasnet(MPI_Comm parent, Job& job) : job_(job), communicator_(base::copy_of(parent)) {
        MPI_Group world = MPI_GROUP_NULL, ours = MPI_GROUP_NULL;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Comm_group(communicator_, &ours);
        int size = 0;
        MPI_Group_size(ours, &size);
        for (int rank = 0; rank < size; ++rank) {
            int number = 0;
            MPI_Group_translate_ranks(ours, 1, &rank, world, &number);
            world_.push_back(number);
        }
        MPI_Group_free(&world);
        MPI_Group_free(&ours);
        MPI_Comm_rank(communicator_, &rank_);
        largest_message_ = gex_AM_LUBRequestMedium();
    }
    ~Gasnet() override {
        synchronise();
        MPI_Comm_free(&communicator_);
    }
    Gasnet(const Gasnet&) = delete;
    Gasnet& operator=(const Gasnet&) = delete;

    std::string name() const override { return "gasnet-" KUMIHIMO_GASNET_CONDUIT; }
    std::string description() const override {
        return fmt::format("GASNet-EX {}.{}.{}, {} conduit", GASNET_RELEASE_VERSION_MAJOR, GASNET_RELEASE_VERSION_MINOR,
                           GASNET_RELEASE_VERSION_PATCH, GASNET_CONDUIT_NAME_STR);
    }

    std::unique_ptr<Region> attach(std::byte*, std::size_t, MPI_Comm) override { return nullptr; }
    std::unique_ptr<Region> allocate(std::size_t bytes) override {
        synchronise();  // others may need this image's help before they come here: MPI alone would not give it
        unsigned long long mine = bytes, most = 0;
        MPI_Allreduce(&mine, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, communicator_);
        std::size_t offset = 0;
        together(communicator_, [&] { offset = job_.take(static_cast<std::size_t>(most)); });
        auto block =
            std::make_unique<Block>(*this, offset, job_.segment(world_[static_cast<std::size_t>(rank_)]) + offset, bytes);
        std::memset(block->local(), 0, bytes);
        synchronise();
        return block;
    }

    void get(Region& region, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) override;
    void put(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) override;
    void accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                    Reduction operation, int type) override;
    std::int64_t atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation, std::int64_t operand,
                        std::int64_t compare) override;
    void fence() override {
        if (under_way_) complete();
        std::atomic_thread_fence(std::memory_order_acq_rel);
    }
    void poll() override { gasnet_AMPoll(); }

private:
    class Block final : public Region {
    public:
        Block(Gasnet& transport, std::size_t offset, std::byte* local, std::size_t bytes)
            : offset(offset), transport_(transport) {
            local_ = local;
            bytes_ = bytes;
            transport_.live_.push_back(this);
        }
        ~Block() override {
            transport_.synchronise();
            transport_.job_.give_back(offset);
            transport_.live_.erase(std::find(transport_.live_.begin(), transport_.live_.end(), this));
        }
        Block(const Block&) = delete;
        Block& operator=(const Block&) = delete;
        const std::size_t offset;
        Pending pending;

    private:
        Gasnet& transport_;
    };

    static Block& block_of(Region& region) { return static_cast<Block&>(region); }
    gex_Rank_t number(int rank) const { return job_.number(world_[static_cast<std::size_t>(rank)]); }
    std::byte* far_of(const Block& block, int rank, std::size_t offset) const {
        return job_.segment(world_[static_cast<std::size_t>(rank)]) + block.offset + offset;
    }
    // GASNet keeps no order: what this access meets is waited for.
    void order(Block& block, int rank, const Pending::Access& access) {
        if (!block.pending.empty() && block.pending.meets(rank, access)) fence();
    }
    void under_way(Block& block, int rank, const Pending::Access& access) {
        block.pending.add(rank, access);
        under_way_ = true;
    }
    void complete() {
        gex_NBI_Wait(GEX_EC_PUT, 0);
        GASNET_BLOCKUNTIL(accumulates_under_way == 0);
        for (Block* const block : live_) block->pending.all_done();
        under_way_ = false;
    }
    void get_run(Block& block, int rank, std::size_t offset, std::byte* to, std::size_t bytes);
    void put_run(Block& block, int rank, std::size_t offset, const std::byte* from, std::size_t bytes);
    // A barrier of MPI in which GASNet makes progress.
    void synchronise() {
        fence();
        MPI_Request request;
        int done = 0;
        MPI_Ibarrier(communicator_, &request);
        GASNET_BLOCKUNTIL((MPI_Test(&request, &done, MPI_STATUS_IGNORE), done != 0));
    }

    Job& job_;
    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    std::vector<int> world_;  // by rank
    std::vector<Block*> live_;
    bool under_way_ = false;  // something in one of them
    std::size_t largest_message_;
};

// The levels of a shape as GASNet takes them: the innermost first.
struct Vis {
    std::vector<std::size_t> count;
    std::vector<std::ptrdiff_t> near, far;

    explicit Vis(const Correspondence& shape) {
        const auto levels = shape.levels();
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
            count.push_back(static_cast<std::size_t>(level->count));
            near.push_back(level->from);
            far.push_back(level->to);
        }
    }
};

void Gasnet::get_run(Block& block, int rank, std::size_t offset, std::byte* to, std::size_t bytes) {
    order(block, rank, run_at(offset, bytes));
    gex_RMA_GetBlocking(job_.team(), to, number(rank), far_of(block, rank, offset), bytes, 0);
}

// To an image that is mapped here it is stored at once; else it is under way.
void Gasnet::put_run(Block& block, int rank, std::size_t offset, const std::byte* from, std::size_t bytes) {
    const Pending::Access access = run_at(offset, bytes);
    order(block, rank, access);
    std::byte* const to = far_of(block, rank, offset);
    std::byte* const source = const_cast<std::byte*>(from);  // GASNet's interface does not say const
    if (job_.mapped(world_[static_cast<std::size_t>(rank)])) {
        gex_RMA_PutBlocking(job_.team(), number(rank), to, source, bytes, 0);
    } else {
        under_way(block, rank, access);
        gex_RMA_PutNBI(job_.team(), number(rank), to, source, bytes, GEX_EVENT_NOW, 0);
    }
}

void Gasnet::get(Region& region, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) {
    if (one_run(shape, any_bytes))
        return get_run(block_of(region), rank, offset + static_cast<std::size_t>(shape.from()), to + shape.to(),
                       bytes_of(shape));
    if (shape.bytes() == 0) return;
    Block& block = block_of(region);
    const Correspondence simple = shape.turned().ascending(End::to);
    order(block, rank, access_of(offset, simple, 0));
    const Vis vis(simple);  // without levels: a contiguous copy
    gex_VIS_StridedGetBlocking(job_.team(), to + simple.from(), vis.near.data(), number(rank),
                               far_of(block, rank, offset) + simple.to(), vis.far.data(),
                               static_cast<std::size_t>(simple.run()), vis.count.data(), vis.count.size(), 0);
}

void Gasnet::put(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) {
    if (shape.bytes() == 0) return;
    Block& block = block_of(region);
    const Correspondence simple = shape.ascending(End::to);
    if (simple.contiguous())
        return put_run(block, rank, offset + static_cast<std::size_t>(simple.to()), from + simple.from(), bytes_of(simple));
    order(block, rank, access_of(offset, simple, 0));
    const auto put_levels = [&](const Correspondence& levels, const std::byte* near) {
        const Vis vis(levels);
        std::byte* const source = const_cast<std::byte*>(near) + levels.from();  // GASNet's interface does not say const
        gex_VIS_StridedPutBlocking(job_.team(), number(rank), far_of(block, rank, offset) + levels.to(), vis.far.data(), source,
                                   vis.near.data(), static_cast<std::size_t>(levels.run()), vis.count.data(), vis.count.size(),
                                   0);
    };
    const auto levels = simple.levels();
    const bool spread = std::any_of(levels.begin(), levels.end(), [](const auto& level) { return level.from == 0; });
    if (spread)  // VIS reads no element twice
        put_levels(simple.dense(End::from), packed(simple, from).data());
    else
        put_levels(simple, from);
}

void Gasnet::accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                        Reduction operation, int type) {
    combine_of(operation, type);  // here, not in the handler, is where an error can be told
    if (shape.bytes() == 0) return;
    Block& block = block_of(region);
    const Pending::Access access = access_of(offset, shape, 1 + static_cast<int>(operation) + 16 * type);
    order(block, rank, access);
    under_way(block, rank, access);
    std::byte* const start = far_of(block, rank, offset);
    std::vector<std::byte> message(largest_message_);
    const auto room = static_cast<sets::Index>(largest_message_ - sizeof(AccumulateHead));
    shape.ascending(End::to).for_each_piece(
        room, static_cast<sets::Index>(bytes_of_type(type)), [&](const Correspondence& piece) {
            const AccumulateHead head{start, piece.dense(End::from), operation, type};
            std::memcpy(message.data(), &head, sizeof head);
            copying::execute(piece.dense(End::to), message.data() + sizeof head, from);
            ++accumulates_under_way;
            gex_AM_RequestMedium0(job_.team(), number(rank), accumulate_request, message.data(), sizeof head + bytes_of(piece),
                                  GEX_EVENT_NOW, 0);
        });
}

std::int64_t Gasnet::atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation,
                            std::int64_t operand, std::int64_t compare) {
    Block& block = block_of(region);
    const auto start = static_cast<std::ptrdiff_t>(offset);
    order(block, rank, {start, start + static_cast<std::ptrdiff_t>(bytes), 0});
    AtomicAnswer answer{0, false};
    AtomicQuestion question{far_of(block, rank, offset), bytes, operation, operand, compare, &answer};
    gex_AM_RequestMedium0(job_.team(), number(rank), atomic_request, &question, sizeof question, GEX_EVENT_NOW, 0);
    GASNET_BLOCKUNTIL(answer.here);
    return answer.before;
}

Transport* make_gasnet(MPI_Comm communicator) {
    Job* job = nullptr;
    together(communicator, [&] {
        int size = 0, world = 0;
        MPI_Comm_size(communicator, &size);
        MPI_Comm_size(MPI_COMM_WORLD, &world);
        if (size != world)
            throw base::Error("GASNet reaches all processes of MPI_COMM_WORLD or none, and XcalableMP runs on some of them",
                              "Start XcalableMP on MPI_COMM_WORLD, or set KUMIHIMO_TRANSPORT=mpi.");
    });
    together(communicator, [&] { job = &Job::start(communicator, handlers, std::size(handlers)); });
    return new Gasnet(communicator, *job);
}

}  // namespace

}  // namespace kumihimo::transport::gasnet

extern "C" {
extern const kumihimo::transport::Module kumihimo_transport;
const kumihimo::transport::Module kumihimo_transport = {kumihimo::transport::module_version, "gasnet-" KUMIHIMO_GASNET_CONDUIT,
                                                        kumihimo::transport::gasnet::make_gasnet};
}
