// Each message's fields are named once, in `fields`, for both directions: an archive writes them or reads them.
#include "iod/protocol/messages.hpp"

#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "iod/protocol/limits.hpp"
#include "iod/protocol/wire.hpp"

namespace kumihimo::iod {

namespace {

// ---- which fields a message has, in the order of the wire ----
template <typename Do>
void describe(Status& m, Do&& fields) {
    fields(m.code, m.text, m.errno_name);
}
template <typename Do>
void describe(Hello& m, Do&& fields) {
    fields(m.lowest_version, m.highest_version, m.features, m.largest_frame, m.token, m.name);
}
template <typename Do>
void describe(Welcome& m, Do&& fields) {
    fields(m.version, m.features, m.largest_frame, m.name);
}
template <typename Do>
void describe(Options& m, Do&& fields) {
    fields(m.method, m.merge, m.topology, m.largest_record, m.sort_buffer, m.stripe, m.durable, m.accept_incomplete,
           m.journal_directory);
}
template <typename Do>
void describe(OpenMode& m, Do&& fields) {
    fields(m.read, m.write, m.create, m.exclusive, m.delete_on_close, m.permissions);
}
template <typename Do>
void describe(Open& m, Do&& fields) {
    fields(m.path, m.mode, m.host, m.hosts, m.servers, m.ranks_here, m.children, m.options, m.one_machine, m.opened,
           m.neighbours);
}
template <typename Do>
void describe(Opened& m, Do&& fields) {
    fields(m.status, m.session, m.addresses, m.local_address, m.rank_tokens, m.child_tokens);
}
template <typename Do>
void describe(Parent& m, Do&& fields) {
    fields(m.server_here, m.addresses, m.session, m.token);
}
template <typename Do>
void describe(Attach& m, Do&& fields) {
    fields(m.parents);
}
template <typename Do>
void describe(Join& m, Do&& fields) {
    fields(m.rank);
}
template <typename Do>
void describe(Leave& m, Do&& fields) {
    fields(m.ring_position);
}
template <typename Do>
void describe(Drain& m, Do&& fields) {
    fields(m.server, m.epoch, m.purpose, m.ring_position, m.status);
}
template <typename Do>
void describe(Drained& m, Do&& fields) {
    fields(m.status, m.file_bytes);
}
template <typename Do>
void describe(Read& m, Do&& fields) {
    fields(m.server, m.offset, m.bytes, m.ring_position, m.fresh);
}
template <typename Do>
void describe(Call& m, Do&& fields) {
    fields(m.server, m.function, m.value, m.ring_position);
}
template <typename Do>
void describe(Result& m, Do&& fields) {
    fields(m.status, m.value);
}
template <typename Do>
void describe(Route& m, Do&& fields) {
    fields(m.command, m.host, m.ranks, m.patience, m.alone, m.compresses, m.channel, m.way, m.lost);
}
template <typename Do>
void describe(Routed& m, Do&& fields) {
    fields(m.status, m.local_address, m.rank_tokens, m.version, m.channel);
}
template <typename Do>
void describe(FileOpen& m, Do&& fields) {
    fields(m.path, m.mode, m.opening, m.first);
    fields.if_set(m.sole);
}
template <typename Do>
void describe(FileOpened& m, Do&& fields) {
    fields(m.status, m.session, m.file);
}
template <typename Do>
void describe(FileCall& m, Do&& fields) {
    fields(m.function, m.value);
}
template <typename Do>
void describe(FileRemove& m, Do&& fields) {
    fields(m.path);
}
template <typename Do>
void describe(FileClaim& m, Do&& fields) {
    fields(m.way, m.patience);
}
template <typename Do>
void describe(FileChannel& m, Do&& fields) {
    fields(m.budget);
}
template <typename Do>
void describe(Channel& m, Do&& fields) {
    fields(m.status, m.addresses, m.token);
}
template <typename Do>
void describe(FileAbout&, Do&&) {}
template <typename Do>
void describe(About& m, Do&& fields) {
    fields(m.status, m.version, m.root, m.home, m.read_only);
}
template <typename Do>
void describe(FileFacts& m, Do&& fields) {
    fields(m.name, m.kind, m.bytes, m.modified, m.permissions);
}
template <typename Do>
void describe(FileLook& m, Do&& fields) {
    fields(m.path);
}
template <typename Do>
void describe(Looked& m, Do&& fields) {
    fields(m.status, m.facts, m.free_bytes);
}
template <typename Do>
void describe(FileList& m, Do&& fields) {
    fields(m.path, m.after);
}
template <typename Do>
void describe(Listed& m, Do&& fields) {
    fields(m.status, m.entries, m.more);
}
template <typename Do>
void describe(FileRename& m, Do&& fields) {
    fields(m.from, m.to);
    fields.if_set(m.file);
}
template <typename Do>
void describe(LayoutLevel& m, Do&& fields) {
    fields(m.count, m.stride);
}
template <typename Do>
void describe(LayoutNest& m, Do&& fields) {
    fields(m.offset, m.length, m.levels);
}
template <typename Do>
void describe(Layout& m, Do&& fields) {
    fields(m.nests);
}
template <typename Do>
void describe(std::pair<std::string, double>& m, Do&& fields) {
    fields(m.first, m.second);
}

// ---- writing ----
class Encoder {
public:
    Payload take() { return writer_.take(); }

    template <typename... Field>
    void operator()(const Field&... field) {
        (put(field), ...);
    }
    // The last one of a message, which earlier versions neither send nor read.
    template <typename Value>
    void if_set(const Value& field) {
        if (field != Value{}) put(field);
    }

private:
    template <typename Value>
    void put(const Value& value) {
        if constexpr (std::is_same_v<Value, bool>)
            writer_.integer(static_cast<std::uint8_t>(value));
        else if constexpr (std::is_integral_v<Value>)
            writer_.integer(value);
        else if constexpr (std::is_enum_v<Value>)
            writer_.integer(static_cast<std::underlying_type_t<Value>>(value));
        else
            describe(const_cast<Value&>(value), *this);  // one description for both directions; this one only reads
    }
    // What failed must arrive: a text beyond the limit is cut.
    void put(const Status& status) {
        put(status.code);
        put(status.text.size() > limit::text_bytes ? status.text.substr(0, limit::text_bytes) : status.text);
        put(status.errno_name);
    }
    void put(const double& value) { writer_.integer(std::bit_cast<std::uint64_t>(value)); }
    template <std::size_t count>
    void put(const std::array<std::byte, count>& bytes) {
        writer_.raw(bytes);
    }
    void put(const std::string& text) {
        writer_.integer(static_cast<std::uint32_t>(text.size()));
        writer_.raw(std::as_bytes(std::span(text)));
    }
    template <typename Element>
    void put(const std::vector<Element>& list) {
        writer_.integer(static_cast<std::uint32_t>(list.size()));
        for (const Element& element : list) put(element);
    }

    Writer writer_;
};

// ---- reading ----
class Decoder {
public:
    explicit Decoder(std::span<const std::byte> payload) : reader_(payload) {}

    template <typename... Field>
    void operator()(Field&... field) {
        (get(field), ...);
    }
    template <typename Value>
    void if_set(Value& field) {
        if (!reader_.rest().empty()) get(field);
    }

private:
    template <typename Value>
    void get(Value& value) {
        if constexpr (std::is_same_v<Value, bool>)
            value = reader_.integer<std::uint8_t>() != 0;
        else if constexpr (std::is_integral_v<Value>)
            value = reader_.integer<Value>();
        else if constexpr (std::is_enum_v<Value>)
            value = enumerator(value);
        else
            describe(value, *this);
        if constexpr (requires { check(value); }) check(value);
    }
    template <typename Value>
    Value enumerator(Value) {
        const auto number = reader_.integer<std::underlying_type_t<Value>>();
        if (number > static_cast<std::uint64_t>(Value::last))
            throw ProtocolError("a message with a choice that this version does not know");
        return static_cast<Value>(number);
    }
    // Codes of later versions are errors all the same.
    Code enumerator(Code) {
        const auto number = reader_.integer<std::uint32_t>();
        return number > static_cast<std::uint32_t>(Code::out_of_memory) ? Code::io_error : static_cast<Code>(number);
    }
    void get(double& value) { value = std::bit_cast<double>(reader_.integer<std::uint64_t>()); }
    template <std::size_t count>
    void get(std::array<std::byte, count>& bytes) {
        std::ranges::copy(reader_.raw(count), bytes.begin());
    }
    void get(std::string& text) {
        const auto bytes = reader_.raw(reader_.integer<std::uint32_t>());
        text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    // Every element takes at least a byte, so a list grows no longer than the payload, whatever its number says.
    template <typename Element>
    void get(std::vector<Element>& list) {
        const auto count = reader_.integer<std::uint32_t>();
        if (count > limit::list_elements) throw ProtocolError("a list longer than any message has");
        list.clear();
        for (std::uint32_t i = 0; i < count; ++i) get(list.emplace_back());
        if constexpr (requires { check(list); }) check(list);
    }

    Reader reader_;
};

}  // namespace

template <typename Message>
Payload encode(const Message& message) {
    Encoder encoder;
    encoder(message);
    return encoder.take();
}

template <typename Message>
Message decode(std::span<const std::byte> payload) {
    Message message;
    Decoder decoder(payload);
    decoder(message);
    return message;
}

std::uint16_t common_version(const Hello& hello) {
    if (hello.lowest_version <= newest_version && hello.highest_version >= oldest_version)
        return std::min(hello.highest_version, newest_version);
    throw ProtocolError(fmt::format(
        "no common version of the protocol: versions {} to {} are asked for, this I/O process knows {} to {}. Install the same "
        "version of Kumihimo on both machines",
        hello.lowest_version, hello.highest_version, oldest_version, newest_version));
}

#define KUMIHIMO_MESSAGE(Message)            \
    template Payload encode(const Message&); \
    template Message decode(std::span<const std::byte>);
KUMIHIMO_MESSAGE(Status)
KUMIHIMO_MESSAGE(Hello)
KUMIHIMO_MESSAGE(Welcome)
KUMIHIMO_MESSAGE(Open)
KUMIHIMO_MESSAGE(Opened)
KUMIHIMO_MESSAGE(Attach)
KUMIHIMO_MESSAGE(Join)
KUMIHIMO_MESSAGE(Leave)
KUMIHIMO_MESSAGE(Drain)
KUMIHIMO_MESSAGE(Drained)
KUMIHIMO_MESSAGE(Read)
KUMIHIMO_MESSAGE(Call)
KUMIHIMO_MESSAGE(Result)
KUMIHIMO_MESSAGE(Counters)
KUMIHIMO_MESSAGE(Route)
KUMIHIMO_MESSAGE(Routed)
KUMIHIMO_MESSAGE(FileOpen)
KUMIHIMO_MESSAGE(FileOpened)
KUMIHIMO_MESSAGE(FileCall)
KUMIHIMO_MESSAGE(FileRemove)
KUMIHIMO_MESSAGE(FileClaim)
KUMIHIMO_MESSAGE(FileChannel)
KUMIHIMO_MESSAGE(Channel)
KUMIHIMO_MESSAGE(FileAbout)
KUMIHIMO_MESSAGE(About)
KUMIHIMO_MESSAGE(FileLook)
KUMIHIMO_MESSAGE(Looked)
KUMIHIMO_MESSAGE(FileList)
KUMIHIMO_MESSAGE(Listed)
KUMIHIMO_MESSAGE(FileRename)
KUMIHIMO_MESSAGE(Layout)
#undef KUMIHIMO_MESSAGE

}  // namespace kumihimo::iod
