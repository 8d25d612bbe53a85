#include "runtime/transport/messages/transport.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "base/communicator.hpp"
#include "base/error.hpp"
#include "base/family.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "base/wait.hpp"
#include "runtime/transport/agreement.hpp"
#include "runtime/transport/check.hpp"
#include "runtime/transport/elements.hpp"
#include "runtime/transport/helping.hpp"
#include "runtime/transport/messages/mail.hpp"
#include "runtime/transport/messages/record.hpp"
#include "runtime/transport/messages/reply.hpp"
#include "runtime/transport/put_form.hpp"

namespace kumihimo::transport::messages {

namespace {

constexpr std::size_t largest_run = std::size_t{1} << 30;      // counts are int
constexpr std::size_t largest_row = std::size_t{4} << 20;      // what is packed at a time
constexpr std::size_t most_unanswered = std::size_t{8} << 20;  // then an image waits for the other: it must keep what it gets

template <typename T>
std::int64_t apply_atomic(std::byte* word, const Record& record, const Question& question) {
    const std::atomic_ref<T> target(*reinterpret_cast<T*>(word));
    const auto operation = static_cast<Atomic>(record.operation);
    T before = target.load();
    while (!target.compare_exchange_weak(before, static_cast<T>(result_of(operation, before, static_cast<T>(question.operand),
                                                                          static_cast<T>(question.compare))))) {
    }
    return before;
}

class Messages final : public Transport {
public:
    explicit Messages(MPI_Comm parent)
        : mail_(parent), given_up_(mail_.size()), senders_(mail_.size()), unanswered_(mail_.size()) {
        if (thread_may_help()) helper_.emplace([this] { return help(); });
    }
    ~Messages() override {
        helper_.reset();
        synchronise(mail_.communicator());
    }
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    std::string name() const override { return "messages"; }
    std::string description() const override { return "messages over " + base::family_library(); }

    std::unique_ptr<Region> attach(std::byte* memory, std::size_t bytes, MPI_Comm members) override {
        return std::make_unique<Block>(*this, members, memory, bytes);
    }
    std::unique_ptr<Region> attach_processes() override {
        return std::make_unique<Block>(*this, mail_.communicator(), nullptr, std::numeric_limits<std::size_t>::max());
    }
    std::unique_ptr<Region> allocate(std::size_t bytes) override {
        const Held held = hold();
        synchronise(mail_.communicator());  // others may need this image's help before they come here
        Memory memory;
        together(mail_.communicator(), [&] {
            constexpr std::size_t cache_line = 64;
            memory.reset(static_cast<std::byte*>(std::aligned_alloc(cache_line, (bytes / cache_line + 1) * cache_line)));
            if (!memory) throw base::Error(fmt::format("there is no memory for {} of a coarray", base::bytes_text(bytes)));
        });
        std::memset(memory.get(), 0, bytes);
        std::byte* const begin = memory.get();
        return std::make_unique<Block>(*this, mail_.communicator(), begin, bytes, std::move(memory));
    }

    void get(Region& region, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) override;
    void put(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) override;
    void accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                    Reduction operation, int type) override;
    std::int64_t atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation, std::int64_t operand,
                        std::int64_t compare) override;
    void fence() override {
        const Held held = hold();
        fence(dirty_);
        dirty_.clear();
        std::atomic_thread_fence(std::memory_order_acq_rel);
    }
    void poll() override {
        const Held held = hold();
        (void)work();
    }
    void give_up(int rank) override;

private:
    // Who is inside: the program's thread, or the one that helps in its place. Who waits inside works, so nobody misses the
    // other.
    using Held = std::unique_lock<std::recursive_mutex>;
    Held hold() { return helper_ ? Held(inside_) : Held(); }
    bool help() {
        const Held held(inside_, std::try_to_lock);
        return held && (work() || work());  // a probe that finds nothing takes in what the next one finds
    }
    bool work();  // whether there was any

    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    using Memory = std::unique_ptr<std::byte, Free>;

    class Block final : public Region {
    public:
        Block(Messages& transport, MPI_Comm members, std::byte* memory, std::size_t bytes, Memory own = nullptr)
            : transport_(transport), own_(std::move(own)) {
            local_ = memory;
            bytes_ = bytes;
            const Held held = transport_.hold();
            transport_.synchronise(members);  // others may need this image's help before they come here
            int same = MPI_UNEQUAL;
            MPI_Comm_compare(members, transport_.mail_.communicator(), &same);
            members_ = same == MPI_CONGRUENT ? transport_.mail_.communicator() : base::copy_of(members);
            number = transport.agreed_number(members_);
            transport_.blocks_[number] = this;
            transport_.synchronise(members_);  // nobody asks before
        }
        ~Block() override {
            const Held held = transport_.hold();
            // Who releases memory without an image that has gone has met the others before, and need not meet them again.
            const bool all_here = transport_.synchronise_unless_gone(members_);
            transport_.blocks_.erase(number);
            if (all_here && members_ != transport_.mail_.communicator()) MPI_Comm_free(&members_);
        }
        Block(const Block&) = delete;
        Block& operator=(const Block&) = delete;
        std::byte* at(std::int64_t offset) const {  // null is the begin of a process's memory
            return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(local_) + static_cast<std::uintptr_t>(offset));
        }
        std::uint64_t number;  // the same on all its images, and on each of them no other block's

    private:
        Messages& transport_;
        Memory own_;
        MPI_Comm members_ = MPI_COMM_NULL;
    };

    // What has come from one image. Nothing is worked off while bytes of an older record are on their way.
    struct Sender {
        std::deque<Message> messages;
        MPI_Request bytes = MPI_REQUEST_NULL;
        std::vector<std::byte> row;  // the bytes, if they do not go to one place
        Correspondence shape;
        std::byte* place = nullptr;
    };

    static std::uint64_t number_of(const Region& region) { return static_cast<const Block&>(region).number; }
    template <typename Ready>
    void wait(Ready&& ready) {
        base::wait_until([&] {
            if (ready()) return true;
            (void)work();
            return ready();
        });
    }
    // For what only this image can bring.
    template <typename Ready>
    void wait_for(int rank, Ready&& ready) {
        wait([&] { return ready() || mail_.gone(rank); });
        if (!ready()) throw_gone(rank);
    }
    void wait_for(int rank, MPI_Request& request) {
        wait([&] { return mail_.complete(rank, request) || mail_.gone(rank); });
        if (!mail_.gone(rank)) return;
        mail_.settle(request);
        throw_gone(rank);
    }
    [[noreturn]] static void throw_gone(int rank) {
        throw Gone(rank, fmt::format("image {} has failed", base::node_number(rank)));
    }
    void check_here(int rank) const {
        if (mail_.gone(rank)) throw_gone(rank);
    }
    // A barrier in which this image helps others; what it has under way is complete before.
    void synchronise(MPI_Comm members) {
        fence();
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(members, &request);
        wait([&] {
            int done = 0;
            check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "waiting for all images");
            return done != 0;
        });
    }
    // Whether all came.
    bool synchronise_unless_gone(MPI_Comm members) {
        if (!mail_.all_here(members)) return false;
        fence();
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Comm_set_errhandler(members, MPI_ERRORS_RETURN);
        MPI_Ibarrier(members, &request);
        int done = 0;
        wait([&] {
            return MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0 || !mail_.all_here(members);
        });
        return done != 0;
    }
    std::uint64_t agreed_number(MPI_Comm members) {
        MPI_Allreduce(MPI_IN_PLACE, &last_number_, 1, MPI_UINT64_T, MPI_MAX, members);
        return ++last_number_;
    }
    void fence(const std::vector<int>& images);
    void under_way(int rank, std::size_t bytes);
    void ask(int rank, Record record, const Correspondence& shape, Reply& reply, std::span<const std::byte> payload = {});

    void put_inside(int rank, const Record& record, const Correspondence& shape, const std::byte* from);
    void put_sent(int rank, Record record, const Correspondence& shape, const std::byte* from);
    void get_piece(std::uint64_t number, int rank, std::size_t offset, std::byte* to, const Correspondence& shape);

    void work_off(int rank);
    void do_record(int rank, const Opened& opened);
    void answer(int rank, std::uint64_t reply, std::span<const std::byte> bytes);
    void answer_get(int rank, const Opened& opened, const std::byte* place);
    void expect_bytes(int rank, const Opened& opened, std::byte* place);
    bool bytes_are_here(int rank);

    Mail mail_;
    Replies replies_;
    std::vector<bool> given_up_;              // by rank
    std::vector<Sender> senders_;             // by rank
    std::vector<int> busy_;                   // those that wait for bytes
    std::vector<std::size_t> unanswered_;     // by rank: bytes put since the last fence
    std::vector<int> dirty_;                  // those with such bytes
    std::map<std::uint64_t, Block*> blocks_;  // of this image
    std::uint64_t last_number_ = 0;
    std::recursive_mutex inside_;
    std::optional<base::Helper> helper_;
};

// ---- the image that asks ----

void Messages::under_way(int rank, std::size_t bytes) {
    check_here(rank);
    std::size_t& sum = unanswered_[static_cast<std::size_t>(rank)];
    if (sum >= most_unanswered) fence({rank});
    if (sum == 0 && std::find(dirty_.begin(), dirty_.end(), rank) == dirty_.end()) dirty_.push_back(rank);
    sum += std::max<std::size_t>(bytes, 1);
}

void Messages::fence(const std::vector<int>& images) {
    std::deque<Reply> replies;
    for (const int rank : images) {
        Record record{Kind::fence};
        record.reply = replies.emplace_back(replies_).number;
        mail_.add(rank, record, {}, {});
        mail_.send(rank);
        unanswered_[static_cast<std::size_t>(rank)] = 0;
    }
    for (std::size_t i = 0; i < images.size(); ++i) {
        const int rank = images[i];
        wait([&] { return replies[i].here || mail_.gone(rank); });
        if (!replies[i].here && !given_up_[static_cast<std::size_t>(rank)]) throw_gone(rank);
    }
}

void Messages::ask(int rank, Record record, const Correspondence& shape, Reply& reply, std::span<const std::byte> payload) {
    check_here(rank);
    record.reply = reply.number;
    record.payload = payload.size();
    mail_.add(rank, record, bytes_of_levels(shape), payload);
    mail_.send(rank);
}

void Messages::put(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) {
    if (shape.bytes() == 0) return;
    const Held held = hold();
    const Correspondence simple = shape.ascending(End::to);
    const std::size_t piece = simple.contiguous() ? largest_run : largest_row;
    simple.for_each_piece(static_cast<sets::Index>(piece), 1, [&](const Correspondence& part) {
        const bool inside = bytes_of(part) <= most_inside;
        const Record record = record_of(inside ? Kind::put : Kind::put_sent, number_of(region), offset, part);
        under_way(rank, bytes_of(part));
        inside ? put_inside(rank, record, part, from) : put_sent(rank, record, part, from);
    });
}

void Messages::put_inside(int rank, const Record& record, const Correspondence& shape, const std::byte* from) {
    Record whole = record;
    whole.payload = bytes_of(shape);
    copying::execute(shape.dense(End::to), mail_.add(rank, whole, bytes_of_levels(shape)), from);
    mail_.leave_if_long(rank);
}

// From where they lie if they lie in one place: then they have left when this returns.
void Messages::put_sent(int rank, Record record, const Correspondence& shape, const std::byte* from) {
    mail_.add(rank, record, bytes_of_levels(shape), {});
    mail_.send(rank);
    if (shape.dense(End::to).contiguous()) {
        MPI_Request request = mail_.send_bytes(rank, Mail::data_tag, from + shape.from(), bytes_of(shape));
        return wait_for(rank, request);
    }
    mail_.send_row(rank, Mail::data_tag, packed(shape, from));
}

void Messages::get(Region& region, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) {
    if (shape.bytes() == 0) return;
    const Held held = hold();
    const Correspondence turned = shape.turned().ascending(End::to);
    const std::size_t piece = turned.contiguous() ? largest_run : largest_row;
    turned.for_each_piece(static_cast<sets::Index>(piece), 1,
                          [&](const Correspondence& part) { get_piece(number_of(region), rank, offset, to, part); });
}

void Messages::get_piece(std::uint64_t number, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) {
    const bool inside = bytes_of(shape) <= most_inside, direct = shape.dense(End::to).contiguous();
    std::vector<std::byte> row(direct ? 0 : bytes_of(shape));
    Reply reply(replies_, direct ? to + shape.from() : row.data());
    MPI_Request request = MPI_REQUEST_NULL;
    check_here(rank);
    if (!inside) request = mail_.receive_bytes(rank, Mail::answer_tag, reply.to, bytes_of(shape));
    ask(rank, record_of(inside ? Kind::get : Kind::get_sent, number, offset, shape), shape, reply);
    if (inside)
        wait_for(rank, [&] { return reply.here; });
    else
        wait_for(rank, request);
    if (!direct) unpack(shape, row.data(), to);
}

void Messages::accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                          Reduction operation, int type) {
    combine_of(operation, type);  // here is where an error can be told, not at the other image
    if (shape.bytes() == 0) return;
    const Held held = hold();
    const auto unit = static_cast<sets::Index>(bytes_of_type(type));
    shape.ascending(End::to).for_each_piece(static_cast<sets::Index>(batch_bytes), unit, [&](const Correspondence& part) {
        Record record = record_of(Kind::accumulate, number_of(region), offset, part);
        record.operation = static_cast<std::uint8_t>(operation);
        record.type = static_cast<std::uint16_t>(type);
        under_way(rank, bytes_of(part));
        put_inside(rank, record, part, from);
    });
}

std::int64_t Messages::atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation,
                              std::int64_t operand, std::int64_t compare) {
    const Held held = hold();
    Record record{Kind::atomic};
    record.operation = static_cast<std::uint8_t>(operation);
    record.region = number_of(region);
    record.offset = static_cast<std::int64_t>(offset);
    record.run = static_cast<std::int64_t>(bytes);
    std::int64_t before = 0;
    Reply reply(replies_, reinterpret_cast<std::byte*>(&before));
    const Question question{operand, compare};
    ask(rank, record, Correspondence(), reply, std::as_bytes(std::span(&question, 1)));
    wait_for(rank, [&] { return reply.here; });
    return before;
}

// ---- the image that is asked ----

bool Messages::work() {
    bool found = false;
    for (Message message; const std::optional<int> rank = mail_.receive(message); found = true) {
        if (!mail_.gone(*rank)) {
            senders_[static_cast<std::size_t>(*rank)].messages.push_back(std::move(message));
            work_off(*rank);
        }
        message = {};
    }
    for (std::size_t i = 0; i < busy_.size();) {
        const int rank = busy_[i];
        if (!mail_.gone(rank) && !bytes_are_here(rank)) {
            ++i;
            continue;
        }
        busy_.erase(busy_.begin() + static_cast<std::ptrdiff_t>(i));
        work_off(rank);
    }
    mail_.forget_sent();
    return found || !busy_.empty();
}

void Messages::work_off(int rank) {
    Sender& sender = senders_[static_cast<std::size_t>(rank)];
    while (sender.bytes == MPI_REQUEST_NULL && !sender.messages.empty() && !mail_.gone(rank)) {
        Message& message = sender.messages.front();
        do_record(rank, take(message));
        if (message.done()) sender.messages.pop_front();
    }
    mail_.send(rank);  // the answers
}

void Messages::do_record(int rank, const Opened& opened) {
    const Record& record = opened.record;
    if (record.kind == Kind::fence) return answer(rank, record.reply, {});
    if (record.kind == Kind::answer) {
        return replies_.arrive(record.reply, opened.payload);
    }
    std::byte* const place = blocks_.at(record.region)->at(record.offset);
    switch (record.kind) {
        case Kind::put:
            return copying::execute(opened.shape.dense(End::from), place, opened.payload.data());
        case Kind::put_sent:
            return expect_bytes(rank, opened, place);
        case Kind::accumulate: {
            const Combine combine = combine_of(static_cast<Reduction>(record.operation), record.type);
            const Correspondence shape = opened.shape.dense(End::from);
            const std::size_t elements = static_cast<std::size_t>(shape.run()) / bytes_of_type(record.type);
            return shape.for_each_run(
                [&](std::ptrdiff_t to, std::ptrdiff_t from) { combine(place + to, opened.payload.data() + from, elements); });
        }
        case Kind::atomic: {
            Question question;
            std::memcpy(&question, opened.payload.data(), sizeof question);
            const std::int64_t before = record.run == sizeof(std::int32_t)
                                            ? apply_atomic<std::int32_t>(place, record, question)
                                            : apply_atomic<std::int64_t>(place, record, question);
            return answer(rank, record.reply, std::as_bytes(std::span(&before, 1)));
        }
        default:
            return answer_get(rank, opened, place);
    }
}

void Messages::answer(int rank, std::uint64_t reply, std::span<const std::byte> bytes) {
    Record record{Kind::answer};
    record.reply = reply;
    record.payload = bytes.size();
    mail_.add(rank, record, {}, bytes);
}

void Messages::answer_get(int rank, const Opened& opened, const std::byte* place) {
    const Correspondence read = opened.shape.dense(End::from).turned();  // to: without gaps, from: the block
    if (opened.record.kind == Kind::get_sent) {
        std::vector<std::byte> row(bytes_of(read));
        copying::execute(read, row.data(), place);
        return mail_.send_row(rank, Mail::answer_tag, std::move(row));
    }
    Record record{Kind::answer};
    record.reply = opened.record.reply;
    record.payload = bytes_of(read);
    copying::execute(read, mail_.add(rank, record, {}), place);
}

void Messages::expect_bytes(int rank, const Opened& opened, std::byte* place) {
    Sender& sender = senders_[static_cast<std::size_t>(rank)];
    const std::size_t bytes = bytes_of(opened.shape);
    sender.shape = opened.shape.dense(End::from);
    sender.place = place;
    sender.row.resize(sender.shape.contiguous() ? 0 : bytes);
    sender.bytes = mail_.receive_bytes(rank, Mail::data_tag, sender.row.empty() ? place : sender.row.data(), bytes);
    busy_.push_back(rank);
}

bool Messages::bytes_are_here(int rank) {
    Sender& sender = senders_[static_cast<std::size_t>(rank)];
    if (!mail_.complete(rank, sender.bytes)) return false;
    if (!sender.row.empty()) copying::execute(sender.shape, sender.place, sender.row.data());
    return true;
}

// ---- an image that has gone ----

void Messages::give_up(int rank) {
    const Held held = hold();
    given_up_[static_cast<std::size_t>(rank)] = true;
    mail_.give_up(rank);
    Sender& sender = senders_[static_cast<std::size_t>(rank)];
    mail_.settle(sender.bytes);
    sender.bytes = MPI_REQUEST_NULL;
    sender.messages.clear();
    std::erase(busy_, rank);
}

}  // namespace

std::unique_ptr<Transport> make(MPI_Comm communicator) {
    return std::make_unique<Messages>(communicator);
}

}  // namespace kumihimo::transport::messages
