// Hints and settings of an engine as one typed table: which there are, what they may be, and where they stand in its
// parameters. Numbers may end in k, M or G. Values that make no sense are ignored (MPI 3.1, 13.2.8).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "mpiio/engine/engine.hpp"

namespace kumihimo::mpiio {

// A number between bounds, or one of some names, which then is its place among them.
struct HintKind {
    Index least = 0, most = 0;
    std::span<const char* const> names = {};
    int base = 10;

    std::optional<Index> value_in(const std::string& text) const;
    std::string text_of(Index value) const;
};

template <typename Parameters>
struct Hint {
    const char* name;
    const char* setting;  // null: none
    Index (*get)(const Parameters&);
    void (*set)(Parameters&, Index);
    HintKind kind;
};

template <typename Member>
struct ClassOf;
template <typename Class, typename Type>
struct ClassOf<Type Class::*> {
    using type = Class;
};

// Of one member of the parameters, a number or an enumeration.
template <auto member, typename Parameters = typename ClassOf<decltype(member)>::type>
constexpr Hint<Parameters> hint(const char* name, HintKind kind, const char* setting = nullptr) {
    return {name, setting, [](const Parameters& parameters) { return static_cast<Index>(parameters.*member); },
            [](Parameters& parameters, Index value) {
                parameters.*member = static_cast<std::remove_cvref_t<decltype(parameters.*member)>>(value);
            },
            kind};
}

template <typename Parameters>
void read_hint(const std::string& text, const Hint<Parameters>& hint, Parameters& parameters) {
    if (const auto value = hint.kind.value_in(text)) hint.set(parameters, *value);
}

std::string text_of_setting(const char* setting, const HintKind& kind);  // as a hint would say it

// ---- of a whole table ----

template <typename Parameters>
void apply_settings(std::span<const Hint<Parameters>> table, Parameters& parameters) {
    for (const Hint<Parameters>& hint : table)
        if (hint.setting != nullptr) read_hint(text_of_setting(hint.setting, hint.kind), hint, parameters);
}
template <typename Parameters>
void apply_hints(std::span<const Hint<Parameters>> table, const Hints& hints, Parameters& parameters) {
    for (const Hint<Parameters>& hint : table)
        if (const auto found = hints.find(hint.name); found != hints.end()) read_hint(found->second, hint, parameters);
}
template <typename Parameters>
Hints as_hints(std::span<const Hint<Parameters>> table, const Parameters& parameters) {
    Hints hints;
    for (const Hint<Parameters>& hint : table) hints[hint.name] = hint.kind.text_of(hint.get(parameters));
    return hints;
}

// ---- what several engines have ----

inline constexpr const char* switch_names[] = {"false", "true"};
// file_perm (MPI 3.1, 13.2.8): of a new file, octal, less the umask.
constexpr HintKind permissions_kind = {0, 0777, {}, 8};
constexpr Index default_permissions = 0666;
Index permissions_of(const Hints& hints);

}  // namespace kumihimo::mpiio
