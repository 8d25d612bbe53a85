#include "runtime/transport/messages/transport.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

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
constexpr std::size_t largest_row = std::size_t{4} << 20;      // asked for at once, in pieces
constexpr std::size_t most_unanswered = std::size_t{8} << 20;  // then an image waits for the other: it must keep what it gets

// A longer run leaves from where it lies, which the receiver must first be asked for. Copies of up to that much take less time.
constexpr std::size_t most_copied = std::size_t{128} << 10;

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
        : mail_(parent), given_up_(mail_.size()), senders_(mail_.size()), addressees_(mail_.size()) {
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
    // Who waits gathers no more: what has been put leaves. One message at a time, since it may be what is waited for.
    void poll() override {
        const Held held = hold();
        for (const int rank : dirty_) mail_.send(rank);
        (void)work([] { return true; });
    }
    bool fence_others(int rank) override {
        const Held held = hold();
        std::vector<int> others;
        std::remove_copy(dirty_.begin(), dirty_.end(), std::back_inserter(others), rank);
        fence(others);
        std::erase_if(dirty_, [&](int image) { return image != rank; });
        std::atomic_thread_fence(std::memory_order_acq_rel);
        return dirty_.empty();
    }
    std::uint64_t sent_to(int rank) override {
        const Held held = hold();
        mail_.send(rank);
        return mail_.sent(rank);
    }
    std::uint64_t came_from(int rank) override {
        const Held held = hold();
        return senders_[static_cast<std::size_t>(rank)].done;
    }
    void give_up(int rank) override;

private:
    // Who is inside: the program's thread, or the one that helps in its place. Who waits inside works, so nobody misses the
    // other.
    using Held = std::unique_lock<std::recursive_mutex>;
    Held hold() { return helper_ ? Held(inside_) : Held(); }
    bool help() {
        const Held held(inside_, std::try_to_lock);
        return held && work();
    }
    // Whether there was any. until: what this image waits for is here, and the rest has time.
    bool work() {
        return work([] { return false; });
    }
    template <typename Until>
    bool work(Until&& until);

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
        std::uint64_t reply = 0;  // to be given when they are here
        std::uint64_t done = 0;   // messages
    };
    // What this image has put to one.
    struct Addressee {
        std::size_t unanswered = 0;  // bytes since the last fence
        std::optional<Reply> last;   // the answer that this put gets by itself, when all before it is done, too
    };

    static std::uint64_t number_of(const Region& region) { return static_cast<const Block&>(region).number; }
    template <typename Ready>
    void wait(Ready&& ready) {
        base::wait_until([&] {
            if (ready()) return true;
            (void)work(ready);
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
        settle(request);
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
    void ask(int rank, Record record, const Correspondence& shape, const Reply& reply, std::span<const std::byte> payload = {});

    void put_inside(int rank, Record record, const Correspondence& shape, const std::byte* from);
    void put_sent(int rank, Record record, const Correspondence& shape, const std::byte* from);
    void get_sent(std::uint64_t number, int rank, std::size_t offset, std::byte* to, const Correspondence& shape);
    void get_inside(std::uint64_t number, int rank, std::size_t offset, std::byte* to, const Correspondence& shape);

    void work_off(int rank);
    void do_record(int rank, const Opened& opened);
    void answer(int rank, std::uint64_t reply, std::span<const std::byte> bytes);
    void answer_get(int rank, const Opened& opened, const std::byte* place);
    void expect_bytes(int rank, const Opened& opened, std::byte* place);
    bool take_bytes(int rank);

    Mail mail_;
    Replies replies_;
    std::vector<bool> given_up_;              // by rank
    std::vector<Sender> senders_;             // by rank
    std::vector<int> busy_;                   // those that wait for bytes
    std::vector<Addressee> addressees_;       // by rank
    std::vector<int> dirty_;                  // those with unanswered bytes
    std::map<std::uint64_t, Block*> blocks_;  // of this image
    std::uint64_t last_number_ = 0;
    std::recursive_mutex inside_;
    std::optional<base::Helper> helper_;
};

// ---- the image that asks ----

void Messages::under_way(int rank, std::size_t bytes) {
    check_here(rank);
    Addressee& addressee = addressees_[static_cast<std::size_t>(rank)];
    if (addressee.unanswered >= most_unanswered) fence({rank});
    if (addressee.unanswered == 0 && std::find(dirty_.begin(), dirty_.end(), rank) == dirty_.end()) dirty_.push_back(rank);
    addressee.unanswered += std::max<std::size_t>(bytes, 1);
    addressee.last.reset();
}

void Messages::fence(const std::vector<int>& images) {
    for (const int rank : images) {
        Addressee& addressee = addressees_[static_cast<std::size_t>(rank)];
        addressee.unanswered = 0;
        if (addressee.last) continue;
        Record record{Kind::fence};
        record.reply = addressee.last.emplace(replies_).number;
        mail_.add(rank, record, {}, {});
        mail_.send(rank);
    }
    for (const int rank : images) {
        const Reply& reply = *addressees_[static_cast<std::size_t>(rank)].last;
        wait([&] { return reply.here || mail_.gone(rank); });
        if (!reply.here && !given_up_[static_cast<std::size_t>(rank)]) throw_gone(rank);
    }
}

void Messages::ask(int rank, Record record, const Correspondence& shape, const Reply& reply,
                   std::span<const std::byte> payload) {
    check_here(rank);
    record.reply = reply.number;
    record.payload = payload.size();
    mail_.add(rank, record, bytes_of_levels(shape), payload);
}

void Messages::put(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) {
    if (shape.bytes() == 0) return;
    const Held held = hold();
    const Correspondence simple = shape.ascending(End::to);
    const bool sent = simple.contiguous() && bytes_of(simple) > most_copied;
    simple.for_each_piece(static_cast<sets::Index>(sent ? largest_run : most_payload()), 1, [&](const Correspondence& part) {
        const Record record = record_of(sent ? Kind::put_sent : Kind::put, number_of(region), offset, part);
        under_way(rank, bytes_of(part));
        sent ? put_sent(rank, record, part, from) : put_inside(rank, record, part, from);
    });
}

void Messages::put_inside(int rank, Record record, const Correspondence& shape, const std::byte* from) {
    record.payload = bytes_of(shape);
    copying::execute(shape.dense(End::to), mail_.add(rank, record, bytes_of_levels(shape)), from);
}

// They have left when this returns. The image says by itself when they have arrived.
void Messages::put_sent(int rank, Record record, const Correspondence& shape, const std::byte* from) {
    record.reply = addressees_[static_cast<std::size_t>(rank)].last.emplace(replies_).number;
    mail_.add(rank, record, bytes_of_levels(shape), {});
    mail_.send(rank);
    MPI_Request request = mail_.send_bytes(rank, Mail::data_tag, from + shape.from(), bytes_of(shape));
    wait_for(rank, request);
}

void Messages::get(Region& region, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) {
    if (shape.bytes() == 0) return;
    const Held held = hold();
    const Correspondence turned = shape.turned().ascending(End::to);
    const bool sent = turned.contiguous() && bytes_of(turned) > most_copied;
    turned.for_each_piece(static_cast<sets::Index>(sent ? largest_run : largest_row), 1, [&](const Correspondence& part) {
        sent ? get_sent(number_of(region), rank, offset, to, part) : get_inside(number_of(region), rank, offset, to, part);
    });
}

void Messages::get_sent(std::uint64_t number, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) {
    const Reply none(replies_);
    check_here(rank);
    MPI_Request request = mail_.receive_bytes(rank, Mail::answer_tag, to + shape.from(), bytes_of(shape));
    ask(rank, record_of(Kind::get_sent, number, offset, shape), shape, none);
    mail_.send(rank);
    wait_for(rank, request);
}

// In pieces, all of them asked for at once.
void Messages::get_inside(std::uint64_t number, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) {
    struct Wanted {
        Wanted(Replies& replies, const Correspondence& part, std::byte* to)
            : shape(part),
              row(part.dense(End::to).contiguous() ? 0 : bytes_of(part)),
              reply(replies, row.empty() ? to + part.from() : row.data()) {}
        const Correspondence shape;
        std::vector<std::byte> row;
        Reply reply;
    };
    std::deque<Wanted> wanted;
    shape.for_each_piece(static_cast<sets::Index>(most_payload()), 1, [&](const Correspondence& part) {
        ask(rank, record_of(Kind::get, number, offset, part), part, wanted.emplace_back(replies_, part, to).reply);
    });
    mail_.send(rank);
    for (const Wanted& one : wanted) {
        wait_for(rank, [&] { return one.reply.here; });
        if (!one.row.empty()) unpack(one.shape, one.row.data(), to);
    }
}

void Messages::accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                          Reduction operation, int type) {
    combine_of(operation, type);  // here is where an error can be told, not at the other image
    if (shape.bytes() == 0) return;
    const Held held = hold();
    const auto unit = static_cast<sets::Index>(bytes_of_type(type));
    shape.ascending(End::to).for_each_piece(static_cast<sets::Index>(most_payload()), unit, [&](const Correspondence& part) {
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
    mail_.send(rank);
    wait_for(rank, [&] { return reply.here; });
    return before;
}

// ---- the image that is asked ----

template <typename Until>
bool Messages::work(Until&& until) {
    bool found = false;
    for (Message message; const std::optional<int> rank = mail_.receive(message);) {
        found = true;
        if (mail_.gone(*rank)) continue;
        senders_[static_cast<std::size_t>(*rank)].messages.push_back(std::move(message));
        work_off(*rank);
        if (until()) break;
    }
    for (std::size_t i = 0; i < busy_.size();) {
        const int rank = busy_[i];
        if (!mail_.gone(rank) && !take_bytes(rank)) {
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
        if (!message.done()) {
            do_record(rank, take(message));
            continue;
        }
        mail_.forget(message);
        sender.messages.pop_front();
        ++sender.done;
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
    if (opened.record.kind == Kind::get_sent)
        return mail_.send_in_place(rank, Mail::answer_tag, place + read.from(), bytes_of(read));
    Record record{Kind::answer};
    record.reply = opened.record.reply;
    record.payload = bytes_of(read);
    copying::execute(read, mail_.add(rank, record, {}), place);
}

void Messages::expect_bytes(int rank, const Opened& opened, std::byte* place) {
    Sender& sender = senders_[static_cast<std::size_t>(rank)];
    sender.reply = opened.record.reply;
    sender.bytes = mail_.receive_bytes(rank, Mail::data_tag, place, bytes_of(opened.shape));
    busy_.push_back(rank);
}

bool Messages::take_bytes(int rank) {
    Sender& sender = senders_[static_cast<std::size_t>(rank)];
    if (!mail_.complete(rank, sender.bytes)) return false;
    answer(rank, sender.reply, {});
    return true;
}

// ---- an image that has gone ----

void Messages::give_up(int rank) {
    const Held held = hold();
    given_up_[static_cast<std::size_t>(rank)] = true;
    mail_.give_up(rank);
    Sender& sender = senders_[static_cast<std::size_t>(rank)];
    settle(sender.bytes);
    sender.bytes = MPI_REQUEST_NULL;
    sender.messages.clear();
    std::erase(busy_, rank);
}

}  // namespace

std::unique_ptr<Transport> make(MPI_Comm communicator) {
    return std::make_unique<Messages>(communicator);
}

}  // namespace kumihimo::transport::messages
