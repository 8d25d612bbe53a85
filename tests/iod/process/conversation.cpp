#include "tests/iod/process/conversation.hpp"

#include <limits>

#include "iod/protocol/bulk.hpp"
#include "iod/protocol/limits.hpp"
#include "tests/support/random.hpp"

namespace kumihimo::iod::test {

namespace {

constexpr Type all_types[] = {Type::hello,   Type::welcome, Type::refuse, Type::open, Type::attach,   Type::join,   Type::leave,
                              Type::records, Type::drain,   Type::read,   Type::call, Type::counters, Type::failure};
constexpr std::int64_t file_bytes = 1 << 20;

std::size_t place(support::Random& random, std::size_t count) {
    return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(count) - 1));
}

// An integer as attackers and overflows like it: a power of two, one beside it, or anything.
std::uint64_t extreme(support::Random& random) {
    const std::uint64_t power = std::uint64_t{1} << random.between(0, 63);
    switch (random.between(0, 4)) {
        case 0:
            return power;
        case 1:
            return power - 1;
        case 2:
            return power + 1;
        case 3:
            return ~std::uint64_t{0} - static_cast<std::uint64_t>(random.between(0, 2));
        default:
            return static_cast<std::uint64_t>(random.between(0, std::numeric_limits<std::int64_t>::max()));
    }
}

// ---- sensible frames ----

class Talk {
public:
    Talk(Speaker speaker, const Scene& scene, support::Random& random) : speaker_(speaker), scene_(scene), random_(random) {}

    Conversation frames() {
        begin();
        for (std::int64_t i = random_.between(3, 25); i > 0; --i) go_on();
        return std::move(frames_);
    }

private:
    void add(Type type, Payload payload, bool descriptors = false, std::uint16_t flags = 0) {
        const std::uint16_t checksum = scene_.network ? flag_checksum : 0;
        const std::uint32_t session = type == Type::hello || type == Type::welcome ? 0 : scene_.session;
        frames_.push_back(
            {{type, static_cast<std::uint16_t>(flags | checksum), session, 0, ++request_, 0}, std::move(payload), descriptors});
    }
    void begin() {
        if (speaker_ == Speaker::parent) return add(Type::welcome, encode(Welcome{1, 3, largest_frame, "a parent"}));
        Token token = scene_.token;
        if (speaker_ == Speaker::stranger) token = {std::byte{1}};
        add(Type::hello, encode(Hello{1, 1, 3, largest_frame, token, "the fuzzer"}));
        if (speaker_ == Speaker::rank && random_.between(0, 9) > 0) add(Type::join, encode(Join{1}), true);
    }
    void go_on() {
        switch (speaker_) {
            case Speaker::rank:
                return as_rank();
            case Speaker::child:
                return as_child();
            case Speaker::parent:
                return as_parent();
            case Speaker::stranger:
                return random_.between(0, 1) == 0 ? as_rank() : as_child();
        }
    }
    void as_rank() {
        switch (random_.between(0, 6)) {
            case 0:
                return add(Type::open, encode(open()));
            case 1:
                return add(Type::counters, {});
            case 2:
                return add(Type::leave, encode(Leave{0}));
            case 3:
                return add(Type::attach, encode(Attach{{Parent{true, {}, 0, {}}}}));
            default:
                return question();
        }
    }
    void as_child() {
        const std::int64_t choice = random_.between(0, 9);
        if (choice < 5) return records();
        if (choice == 9)
            return add(random_.between(0, 3) == 0 ? Type::failure : Type::leave, encode(Status{Code::io_error, "x", "EIO"}));
        question();
    }
    // Answers to the first questions that are asked.
    void as_parent() {
        request_ = static_cast<std::uint64_t>(random_.between(0, 4));
        const Status status{random_.between(0, 3) == 0 ? Code::io_error : Code::ok, "a parent's", ""};
        switch (random_.between(0, 3)) {
            case 0: {
                Payload data = encode_data_head(status);
                data.resize(data.size() + place(random_, 70'000));
                return add(Type::read, std::move(data), false, flag_answer);
            }
            case 1:
                return add(Type::drain, encode(Drained{status, file_bytes}), false, flag_answer);
            case 2:
                return add(Type::call, encode(Result{status, 5}), false, flag_answer);
            default:
                return add(Type::failure, encode(status));
        }
    }
    void question() {
        const Offset offset = random_.between(0, file_bytes);
        switch (random_.between(0, 2)) {
            case 0:
                return add(Type::read, encode(Read{0, offset, place(random_, 1 << 16), 0, random_.between(0, 1) == 0}));
            case 1:
                return add(Type::drain, encode(Drain{0, ++epoch_, static_cast<Purpose>(random_.between(0, 3)), 0, {}}));
            default:
                return add(Type::call, encode(Call{0, static_cast<Function>(random_.between(0, 7)), offset, 0}));
        }
    }
    void records() {
        std::vector<RecordPlace> places(place(random_, 20));
        std::size_t bytes = 0;
        for (RecordPlace& record : places) {
            record = {random_.between(0, file_bytes), static_cast<std::uint32_t>(place(random_, 3000))};
            bytes += record.bytes;
        }
        Payload payload = encode_records_head(0, places);
        payload.resize(payload.size() + bytes, std::byte{7});
        add(Type::records, std::move(payload));
    }
    Open open() {
        Open open;
        open.path = (scene_.directory / "opened").string();
        open.mode = {true, true, true, false, random_.between(0, 1) == 0, 0644};
        open.hosts = 2;
        open.ranks_here = static_cast<std::uint32_t>(random_.between(1, 4));
        open.children = {1};
        open.one_machine = true;
        return open;
    }

    Speaker speaker_;
    const Scene& scene_;
    support::Random& random_;
    Conversation frames_;
    std::uint64_t request_ = 0, epoch_ = 0;
};

// ---- mistakes ----

void change_payload(FuzzFrame& frame, support::Random& random) {
    Payload& payload = frame.payload;
    if (payload.empty()) return payload.resize(place(random, 40));
    switch (random.between(0, 3)) {
        case 0:  // bits
            for (std::int64_t i = random.between(1, 4); i > 0; --i)
                payload[place(random, payload.size())] ^= static_cast<std::byte>(1 << random.between(0, 7));
            break;
        case 1: {  // an integer
            const std::size_t width = std::size_t{1} << random.between(0, 3);
            const std::size_t at = place(random, std::min<std::size_t>(payload.size(), 128));
            const std::uint64_t value = extreme(random);
            for (std::size_t i = 0; i < width && at + i < payload.size(); ++i)
                payload[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
            break;
        }
        case 2:
            return payload.resize(place(random, payload.size()));
        default:
            payload.resize(payload.size() + place(random, 100), std::byte{0x5a});
    }
}

void change_header(FuzzFrame& frame, support::Random& random) {
    FrameHeader& header = frame.header;
    switch (random.between(0, 3)) {
        case 0:
            header.type = all_types[place(random, std::size(all_types))];
            break;
        case 1:
            header.session = random.between(0, 1) == 0 ? static_cast<std::uint32_t>(random.between(0, 5))
                                                       : static_cast<std::uint32_t>(extreme(random));
            break;
        case 2:
            header.request = random.between(0, 1) == 0 ? 0 : extreme(random);
            break;
        default:
            header.flags ^= static_cast<std::uint16_t>(1 << random.between(0, 3));
    }
}

void change_order(Conversation& conversation, support::Random& random) {
    const std::size_t one = place(random, conversation.size()), other = place(random, conversation.size());
    switch (random.between(0, 2)) {
        case 0:
            return std::swap(conversation[one], conversation[other]);
        case 1:
            conversation.insert(conversation.begin() + static_cast<std::ptrdiff_t>(other), FuzzFrame(conversation[one]));
            return;
        default:
            if (conversation.size() > 1) conversation.erase(conversation.begin() + static_cast<std::ptrdiff_t>(one));
    }
}

// Whatever has become of a path: no file outside is opened, or removed.
bool harmless(const FuzzFrame& frame, const Scene& scene) {
    if (frame.header.type != Type::open) return true;
    try {
        const Open open = decode<Open>(frame.payload);
        const std::string inside = scene.directory.string() + "/";
        const auto lies_inside = [&](const std::string& path) {
            return path.starts_with(inside) && path.find("..") == std::string::npos && path.find('\0') == std::string::npos;
        };
        return lies_inside(open.path) &&
               (open.options.journal_directory.empty() || lies_inside(open.options.journal_directory));
    } catch (const ProtocolError&) {
        return true;
    }
}

void encode_frame(FuzzFrame& frame) {
    const HeaderBytes header = encode_header(frame.header, frame.payload);
    frame.bytes.assign(header.begin(), header.end());
    frame.bytes.insert(frame.bytes.end(), frame.payload.begin(), frame.payload.end());
}

}  // namespace

Conversation conversation(Speaker speaker, const Scene& scene, support::Random& random) {
    return Talk(speaker, scene, random).frames();
}

// As a rule one mistake or two, so that what comes before and after is understood.
void mutate(Conversation& conversation, const Scene& scene, support::Random& random) {
    for (std::int64_t mistakes = random.between(0, 3); mistakes > 0; --mistakes) {
        FuzzFrame& frame = conversation[place(random, conversation.size())];
        switch (random.between(0, 5)) {
            case 0:
                change_order(conversation, random);
                break;
            case 1:
                change_header(frame, random);
                break;
            default:
                change_payload(frame, random);
        }
    }
    std::erase_if(conversation, [&](const FuzzFrame& frame) { return !harmless(frame, scene); });
    for (FuzzFrame& frame : conversation) encode_frame(frame);
    if (conversation.empty() || random.between(0, 7) > 0) return;
    std::vector<std::byte>& bytes = conversation[place(random, conversation.size())].bytes;  // damaged on the way
    if (random.between(0, 1) == 0)
        bytes[place(random, std::min<std::size_t>(bytes.size(), header_bytes))] ^=
            static_cast<std::byte>(1 << random.between(0, 7));
    else
        bytes.resize(place(random, bytes.size()));
}

}  // namespace kumihimo::iod::test
