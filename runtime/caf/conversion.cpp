#include "runtime/caf/conversion.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/caf/quad.hpp"

namespace kumihimo::caf {

namespace {

__extension__ typedef __int128 Integer16;

// One loop of elements.
struct Run {
    std::byte* to;
    const std::byte* from;
    std::ptrdiff_t to_stride, from_stride;
    std::int64_t count;
};

template <typename To, typename From>
void convert_numbers(const Run& run) {
    for (std::int64_t i = 0; i < run.count; ++i) {
        From value;
        std::memcpy(&value, run.from + i * run.from_stride, sizeof value);
        const To converted = static_cast<To>(value);
        std::memcpy(run.to + i * run.to_stride, &converted, sizeof converted);
    }
}

[[noreturn]] void fail_type(const ElementType& type) {
    throw base::Error(fmt::format("values of type {} and kind {} cannot be converted", static_cast<int>(type.type), type.kind));
}

// Calls visit with a value of the type of a number; of a complex number, of one of its parts. Logicals are integers of 0 and 1.
template <typename Visit>
auto with_part(const ElementType& type, Visit&& visit) {
    const bool real = type.type == BasicType::real || type.type == BasicType::complex;
    switch (type.kind) {
        case 1:
            return visit(std::int8_t{});
        case 2:
            return visit(std::int16_t{});
        case 4:
            return real ? visit(float{}) : visit(std::int32_t{});
        case 8:
            return real ? visit(double{}) : visit(std::int64_t{});
        case 10:
            return visit(0.0L);
        case 16:
            return real ? visit(Real16{}) : visit(Integer16{});
        default:
            fail_type(type);
    }
}

using ConvertRun = void (*)(const Run&);

struct Numbers {
    ConvertRun run;
    std::size_t to_part, from_part;
};

Numbers numbers(const ElementType& to, const ElementType& from) {
    return with_part(to, [&](auto target) {
        return with_part(from, [&](auto source) {
            return Numbers{convert_numbers<decltype(target), decltype(source)>, sizeof target, sizeof source};
        });
    });
}

void set_zero(const Run& run, std::size_t bytes) {
    for (std::int64_t i = 0; i < run.count; ++i) std::memset(run.to + i * run.to_stride, 0, bytes);
}

bool is_number(const ElementType& type) {
    return type.type == BasicType::integer || type.type == BasicType::logical || type.type == BasicType::real ||
           type.type == BasicType::complex;
}

std::uint32_t character_at(const std::byte* text, std::size_t index, int kind) {
    if (kind == 1) return static_cast<std::uint32_t>(text[index]);
    std::uint32_t code = 0;
    std::memcpy(&code, text + index * sizeof code, sizeof code);
    return code;
}

void set_character(std::byte* text, std::size_t index, int kind, std::uint32_t code) {
    if (kind == 1)
        text[index] = code < 256 ? static_cast<std::byte>(code) : std::byte{'?'};
    else
        std::memcpy(text + index * sizeof code, &code, sizeof code);
}

// The text cut off, or with blanks behind it.
void convert_text(std::byte* to, const ElementType& to_type, const std::byte* from, const ElementType& from_type) {
    const std::size_t length = to_type.bytes / static_cast<std::size_t>(to_type.kind);
    const std::size_t given = std::min(length, from_type.bytes / static_cast<std::size_t>(from_type.kind));
    for (std::size_t i = 0; i < given; ++i) set_character(to, i, to_type.kind, character_at(from, i, from_type.kind));
    for (std::size_t i = given; i < length; ++i) set_character(to, i, to_type.kind, ' ');
}

// visit(run) for the innermost loops of all boxes.
template <typename Visit>
void for_all_runs(std::byte* to, const std::byte* from, const Pairing& pairing, Visit&& visit) {
    pairing.for_each_box([&](std::ptrdiff_t to_offset, std::ptrdiff_t from_offset, sets::Correspondence::Levels levels) {
        sets::for_each_row(levels, to_offset, from_offset,
                           [&](const sets::PairedLevel& row, sets::Index here, sets::Index there) {
                               visit(Run{to + here, from + there, row.to, row.from, row.count});
                           });
    });
}

void convert_all_numbers(std::byte* to, const ElementType& to_type, const std::byte* from, const ElementType& from_type,
                         const Pairing& pairing) {
    const Numbers parts = numbers(to_type, from_type);
    for_all_runs(to, from, pairing, [&](Run run) {
        parts.run(run);
        if (to_type.type != BasicType::complex) return;
        run.to += parts.to_part, run.from += parts.from_part;
        if (from_type.type == BasicType::complex)
            parts.run(run);
        else
            set_zero(run, parts.to_part);
    });
}

}  // namespace

bool same_representation(const ElementType& to, const ElementType& from) {
    if (to.type == BasicType::character && from.type == BasicType::character)
        return to.kind == from.kind && to.bytes == from.bytes;
    if (is_number(to) && is_number(from)) return to.type == from.type && to.kind == from.kind;
    return to.bytes == from.bytes;
}

void convert(std::byte* to, const ElementType& to_type, const std::byte* from, const ElementType& from_type,
             const Pairing& pairing) {
    if (is_number(to_type) && is_number(from_type)) return convert_all_numbers(to, to_type, from, from_type, pairing);
    if (to_type.type != BasicType::character || from_type.type != BasicType::character)
        fail_type(is_number(to_type) ? from_type : to_type);
    for_all_runs(to, from, pairing, [&](const Run& run) {
        for (std::int64_t i = 0; i < run.count; ++i)
            convert_text(run.to + i * run.to_stride, to_type, run.from + i * run.from_stride, from_type);
    });
}

}  // namespace kumihimo::caf
