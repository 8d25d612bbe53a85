#include "runtime/xmpio/units.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/format.hpp"
#include "copying/execute.hpp"
#include "runtime/execution/guard.hpp"
#include "runtime/xmpio/collective.hpp"
#include "runtime/xmpio/opening.hpp"

namespace kumihimo::xmpio {

namespace {

using execution::Context, execution::NodeSetPointer;
using execution::Visit, execution::Visiting;

constexpr int end_of_file = -1;     // Fortran's IOSTAT_END
constexpr int any_error = 5000;     // where the system has no number of its own; gfortran's library counts from here
constexpr int reads_too_much = -3;  // code of a failure: nothing is left to read

struct Unit {
    int number, access;
    Index recl;
    std::unique_ptr<File> file;
};

// In the order of opening: nodes that have several in common close them in the same order.
std::vector<Unit> units;

Unit* unit_of(int number) {
    const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.number == number; });
    return found == units.end() ? nullptr : &*found;
}

const char* name_of(int access) {
    constexpr const char* names[] = {"collective", "atomic", "direct"};
    return names[access];
}

// ---- open ----

std::string lower(const char* text) {
    std::string result = text;
    std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
    return result;
}

// The value of a specifier among those that are allowed, the first of which is the default.
std::string one_of(const char* specifier, const char* given, std::initializer_list<const char*> allowed) {
    const std::string value = lower(given);
    if (value.empty()) return *allowed.begin();
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return value;
    std::string list;
    for (const char* one : allowed) list += fmt::format("{}'{}'", list.empty() ? "" : ", ", one);
    throw base::Error(fmt::format("{}='{}' is not possible: it is one of {}", specifier, given, list));
}

void check_method(const XMP_Opening& given) {
    const bool direct = given.access == XMP_GLOBAL_DIRECT;
    const std::string method = one_of("access", given.method, {"sequential", "direct"}), form = lower(given.form);
    if ((method == "direct") != direct)
        throw base::Error(direct ? "global_io direct needs access='direct'" : "access='direct' needs global_io direct");
    if (form != "unformatted" && !(direct && form.empty())) throw base::Error("global I/O needs form='unformatted'");
    if (direct && given.recl <= 0) throw base::Error(fmt::format("recl={} is not positive", given.recl));
}

void check_free(const XMP_Opening& given) {
    if (given.unit < 0 || given.unit == 0 || given.unit == 5 || given.unit == 6)
        throw base::Error(fmt::format("unit {} is no unit of global I/O", given.unit));
    for (const Unit& unit : units) {
        if (unit.number == given.unit)
            throw base::Error(fmt::format("unit {} is connected to '{}' already", unit.number, unit.file->name()));
        if (unit.file->name() == given.file)
            throw base::Error(fmt::format("'{}' is connected to unit {} already", given.file, unit.number));
    }
}

// The modes to try one after the other: without action= a file that cannot be written is read.
std::vector<Mode> modes_of(const XMP_Opening& given) {
    if (*given.file == '\0') throw base::Error("the name of the file is empty");
    const std::string status = one_of("status", given.status, {"unknown", "old", "new", "replace"});
    const std::string position = one_of("position", given.position, {"asis", "rewind", "append"});
    const std::string action =
        lower(given.action).empty() ? "" : one_of("action", given.action, {"read", "write", "readwrite"});
    Mode mode;
    mode.read = action != "write";
    mode.write = action != "read";
    mode.create = mode.write && status != "old";
    mode.truncate = status == "replace";
    mode.exclusive = status == "new";
    mode.at_end = position == "append";
    if (!mode.write && (mode.truncate || mode.exclusive))
        throw base::Error(fmt::format("status='{}' makes a file, which action='read' cannot fill", status));
    if (!action.empty() || mode.truncate || mode.exclusive) return {mode};
    Mode reads = mode;
    reads.write = reads.create = false;
    return {mode, reads};
}

std::optional<Failure> open_unit(const XMP_Opening& given) {
    const NodeSetPointer set = Context::get().executing();
    std::vector<Mode> modes;
    std::optional<Failure> failure;
    try {
        check_free(given);
        check_method(given);
        modes = modes_of(given);
    } catch (const std::exception& error) {
        failure = Failure{-1, error.what()};
    }
    if ((failure = agree(*Communicator::of(set->communicator()), failure))) return failure;
    std::unique_ptr<File> file;
    for (const Mode& mode : modes) {
        const bool again = failure && (failure->system_error == EACCES || failure->system_error == EROFS);
        if (!failure || again) file = File::open(given.file, mode, failure);
        if (file) break;
    }
    if (!file) return failure;
    if (given.access == XMP_GLOBAL_ATOMIC && file->position > 0) {
        if ((failure = file->seek_shared(file->position, SEEK_SET))) {
            (void)file->close();
            return failure;
        }
    }
    units.push_back({given.unit, given.access, given.recl, std::move(file)});
    return std::nullopt;
}

// ---- units that are open ----

// The unit of a call. collective: all nodes that opened it must be in the call. Every node finds the same mistake.
Unit& connected(int number, int access, bool collective) {
    Unit* const unit = unit_of(number);
    if (unit == nullptr) throw base::Error(fmt::format("unit {} is not connected by global I/O", number), "Open it before.");
    if (unit->access != access)
        throw base::Error(
            fmt::format("unit {} was opened for {} I/O, and this is {}", number, name_of(unit->access), name_of(access)));
    if (collective && !unit->file->set().same_ranks(*Context::get().executing()))
        throw base::Error(fmt::format("unit {} was opened by {}, and {} execute this", number,
                                      base::counted(unit->file->set().size(), "node"),
                                      base::counted(Context::get().executing()->size(), "node")),
                          "Use it on the nodes that opened it.");
    return *unit;
}

std::optional<Failure> close_unit(int number, int access, const char* status) {
    const bool deletes = one_of("status", status, {"keep", "delete"}) == "delete";
    if (unit_of(number) == nullptr) return std::nullopt;  // as in Fortran
    Unit& unit = connected(number, access, true);
    const std::unique_ptr<File> file = std::move(unit.file);
    units.erase(units.begin() + (&unit - units.data()));
    auto failure = file->close();
    if (!deletes || failure) return failure;
    if (file->first_node()) failure = remove_file(file->name());
    return agree(file->communicator(), failure);
}

std::optional<Failure> sync_unit(int number) {
    const Unit* const known = unit_of(number);
    return connected(number, known == nullptr ? XMP_GLOBAL_COLLECTIVE : known->access, true).file->synchronise();
}

// ---- items ----

// Memory of this node, whose elements may lie apart, and one run of bytes with the same elements in Fortran's order.
class Memory {
public:
    explicit Memory(const XMP_Side& item) : memory_(static_cast<std::byte*>(item.address)), packing_(packing(item)) {}

    Index bytes() const { return packing_.bytes(); }
    void to(std::byte* run) const { copying::execute(packing_, run, memory_); }
    void from(const std::byte* run) const { copying::execute(packing_.turned(), memory_, run); }

    // The memory itself where it is one run, else a copy that is filled if `packs`.
    std::byte* run(bool packs) {
        if (packing_.contiguous()) return memory_;
        copy_.resize(static_cast<std::size_t>(packing_.bytes()));
        if (packs) to(copy_.data());
        return copy_.data();
    }
    void unpack() const {
        if (!copy_.empty()) from(copy_.data());
    }

private:
    // The item's elements without gaps, from the item.
    static sets::Correspondence packing(const XMP_Side& item) {
        std::vector<sets::PairedLevel> levels;
        auto packed = static_cast<Index>(item.element_bytes);
        for (int d = 0; d < item.rank; ++d) {
            levels.insert(levels.begin(), {item.extents[d], packed, item.strides[d]});
            packed *= item.extents[d];
        }
        return sets::Correspondence(static_cast<Index>(item.element_bytes), levels);
    }

    std::byte* memory_;
    sets::Correspondence packing_;
    std::vector<std::byte> copy_;
};

Index bytes_of(const execution::Array& array) {
    return elements(section_of(array, nullptr)) * static_cast<Index>(array.element_bytes);
}

Failure at_end(const File& file) {
    return {reads_too_much, "the end of '" + file.name() + "' is reached"};
}

std::optional<Failure> move_array(File& file, const XMP_Side& item, bool writing) {
    const execution::Array& array = execution::array_of(item.array);
    const auto descriptor = reinterpret_cast<xmp_desc_t>(const_cast<XMP_Array*>(item.array));
    const Index before = file.position;
    Index moved = 0;
    if (writing) return write_array(file, descriptor, nullptr, moved);
    if (auto failure = read_array(file, descriptor, nullptr, moved)) return failure;
    if (file.position == before && bytes_of(array) > 0) return at_end(file);
    return std::nullopt;
}

std::optional<Failure> move_memory(File& file, const XMP_Side& item, bool writing) {
    Memory memory(item);
    if (writing) return write_same(file, memory.run(true), memory.bytes());
    Index moved = 0;
    if (auto failure = read_same(file, memory.run(false), memory.bytes(), moved)) return failure;
    if (moved < memory.bytes()) return at_end(file);
    memory.unpack();
    return std::nullopt;
}

std::optional<Failure> collective_transfer(File& file, int count, const XMP_Side* items, bool writing) {
    for (int n = 0; n < count; ++n) {
        const auto move = items[n].array != nullptr ? move_array : move_memory;
        if (auto failure = move(file, items[n], writing)) return failure;
    }
    return std::nullopt;
}

// One node's statement in one piece; of a direct record what the items leave is zero, as a serial program writes it.
std::optional<Failure> own_transfer(const Unit& unit, Index rec, int count, const XMP_Side* items, bool writing) {
    File& file = *unit.file;
    const bool direct = unit.access == XMP_GLOBAL_DIRECT;
    if (auto failure = file.refuses(writing)) return failure;
    if (direct && rec < 1) throw base::Error(fmt::format("rec={}: records count from 1", rec));
    std::vector<Memory> memory(items, items + count);
    Index bytes = 0, moved = 0;
    for (const Memory& one : memory) bytes += one.bytes();
    if (direct && bytes > unit.recl)
        throw base::Error(fmt::format("the items have {} bytes, a record of unit {} has {}", bytes, unit.number, unit.recl));
    std::vector<std::byte> run(static_cast<std::size_t>(direct && writing ? unit.recl : bytes));
    std::size_t place = 0;
    if (writing)
        for (const Memory& one : memory) one.to(run.data() + std::exchange(place, place + one.bytes()));
    std::optional<Failure> failure;
    const Index offset = direct ? unit.recl * (rec - 1) : 0;
    if (direct && writing)
        failure = file.write(offset, run.data(), unit.recl);
    else if (direct)
        failure = file.read(offset, run.data(), bytes, moved);
    else if (bytes > 0)
        failure = file.move_shared(run.data(), bytes, writing, moved);
    if (failure || writing) return failure;
    if (moved < bytes) return at_end(file);
    for (const Memory& one : memory) one.from(run.data() + std::exchange(place, place + one.bytes()));
    return std::nullopt;
}

std::optional<Failure> transfer(int number, int access, Index rec, int count, const XMP_Side* items, bool writing) {
    Unit& unit = connected(number, access, access == XMP_GLOBAL_COLLECTIVE);
    if (access == XMP_GLOBAL_COLLECTIVE) return collective_transfer(*unit.file, count, items, writing);
    return own_transfer(unit, rec, count, items, writing);
}

// ---- the interface ----

int iostat_of(const Failure& failure) {
    if (failure.code == reads_too_much || failure.code == too_short) return end_of_file;
    return failure.system_error > 0 ? failure.system_error : any_error;
}

// Runs body() -> optional<Failure>. Where the program does not ask for the failure it ends with it.
template <typename Body>
void run(const XMP_Site* site, bool collective, int* iostat, Body&& body) {
    execution::guarded(site, [&] {
        const Visit visit(collective ? site : nullptr, Visiting::at_length);
        std::optional<Failure> failure;
        try {
            failure = body();
        } catch (const base::Error& error) {
            if (iostat == nullptr) throw;
            failure = Failure{-1, error.what()};
        }
        if (iostat != nullptr) *iostat = failure ? iostat_of(*failure) : 0;
        if (!failure) return;
        report(site->directive, *failure, false);
        if (iostat == nullptr) throw base::Error(failure->text, "With iostat= the program can go on.");
    });
}

}  // namespace

void close_all_units() {
    while (!units.empty()) {
        const std::unique_ptr<File> file = std::move(units.front().file);
        if (file->first_node())
            std::fprintf(stderr, "kumihimo: warning: unit %d ('%s') is closed by the end of the program\n",
                         units.front().number, file->name().c_str());
        units.erase(units.begin());
        if (const auto failure = file->close()) throw base::Error(failure->text);
    }
}

}  // namespace kumihimo::xmpio

using namespace kumihimo::xmpio;
using kumihimo::execution::Visit, kumihimo::execution::Visiting;

void XMP_Global_open(const XMP_Site* site, const XMP_Opening* opening, int* iostat) {
    run(site, true, iostat, [&] { return open_unit(*opening); });
}

void XMP_Global_close(const XMP_Site* site, int access, int unit, const char* status, int* iostat) {
    run(site, true, iostat, [&] { return close_unit(unit, access, status); });
}

void XMP_Global_read(const XMP_Site* site, int access, int unit, XMP_Index rec, int count, const XMP_Side* items, int* iostat) {
    run(site, access == XMP_GLOBAL_COLLECTIVE, iostat, [&] { return transfer(unit, access, rec, count, items, false); });
}

void XMP_Global_write(const XMP_Site* site, int access, int unit, XMP_Index rec, int count, const XMP_Side* items,
                      int* iostat) {
    run(site, access == XMP_GLOBAL_COLLECTIVE, iostat, [&] { return transfer(unit, access, rec, count, items, true); });
}

void XMP_Global_sync(const XMP_Site* site, int unit) {
    kumihimo::execution::guarded(site, [&] {
        const Visit visit(site, Visiting::at_length);
        if (const auto failure = sync_unit(unit)) throw kumihimo::base::Error(failure->text);
    });
}
