// Coarrays come and go (Fortran 2018, 9.7.1.2, 9.7.3.2), and so do the allocatable and pointer components of their types.
// gfortran synchronises after an allocation by itself. A coarray that is a local alias (specification 5.8.1) is allocated, too:
// it gets the memory of a global array's blocks.
#include <unordered_set>
#include <utility>

#include "base/format.hpp"
#include "runtime/caf/component_memory.hpp"
#include "runtime/caf/image_control.hpp"
#include "runtime/caf/remote_memory.hpp"
#include "runtime/caf/start.hpp"
#include "runtime/caf/teams.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/localview/allocation.hpp"
#include "runtime/localview/desks.hpp"
#include "runtime/localview/failures.hpp"

namespace kumihimo::caf {

// A component's token is the address of its memory: gfortran copies tokens with the objects that they are in.
union Slot {
    Token* coarray;
    void* component;
};

namespace {

std::unordered_set<const Token*>& coarrays() {
    static auto& all = *new std::unordered_set<const Token*>;
    return all;
}

std::size_t bytes_of(Registration registration, std::size_t size) {
    switch (registration) {
        case Registration::static_lock:
        case Registration::allocatable_lock:
        case Registration::critical:
        case Registration::static_event:
        case Registration::allocatable_event:
            return size * sizeof(void*);
        default:
            return size;
    }
}

// The memory here that the object around a component's token lies in, as far as it is known: a coarray's block or a component.
const char* begin_around(const void* slot) {
    for (const Token* const token : coarrays()) {
        const auto* const base = static_cast<const char*>(token->coarray->base);
        if (static_cast<const char*>(slot) >= base && static_cast<const char*>(slot) < base + token->bytes) return base;
    }
    return static_cast<const char*>(component_around(slot));
}

// Whose blocks the next coarray shows.
const execution::Array* shown_next = nullptr;

// A coarray has one shape on all images.
void check_equal_blocks(const execution::Array& array) {
    const sets::ArrayMapping& mapping = *array.mapping;
    for (int d = 0; d < array.rank; ++d) {
        const int onto = mapping.alignment(d).template_dimension;
        const sets::Index nodes = onto < 0 ? 1 : mapping.target().dimension(onto).nodes();
        const sets::Index first = mapping.allocated_size(d, 0);
        for (sets::Index node = 1; node < nodes; ++node)
            if (const sets::Index size = mapping.allocated_size(d, node); size != first)
                throw base::Error(
                    fmt::format(
                        "a local alias of {} is a coarray, so all blocks must have one shape; in dimension {} they have {} "
                        "elements on the first nodes, and {} on others",
                        array.name, d + 1, first, size),
                    "Choose a size that the nodes share evenly, or copy the block to a coarray.");
    }
}

localview::Coarray& coarray_of_blocks(const execution::Array& array) {
    if (array.segment == nullptr)
        throw base::Error(
            fmt::format("a local alias of {} is a coarray, but its memory is not that of a global array", array.name),
            "Pass a global array whose local alias is a coarray, too.");
    check_equal_blocks(array);
    return localview::blocks_as_coarray(array);
}

// An image without a part of the array has an address for it, too: that of nothing it stores.
void register_alias(const execution::Array& array, std::size_t bytes, Slot* slot, Descriptor* descriptor) {
    localview::Coarray& coarray = coarray_of_blocks(array);
    slot->coarray = new Token{coarray.direct, bytes, &coarray, Registration::allocatable_coarray, descriptor, &slot->coarray};
    descriptor->base = array.base != nullptr ? array.base : slot->coarray;
    coarrays().insert(slot->coarray);
}

// gfortran allocates components as it allocates coarrays where it copies an object or assigns to an unallocated component.
bool is_component(Registration registration, const Slot* slot) {
    return registration == Registration::component_allocation ||
           (registration == Registration::allocatable_coarray && begin_around(slot) != nullptr);
}

void register_component(std::size_t bytes, Slot* slot, Descriptor* descriptor) {
    descriptor->base = nullptr;
    descriptor->base = slot->component = allocate_component(bytes);
}

// Images that are missing are found before the allocation, which needs all. None is made then: gfortran does not set the bounds
// of an array whose allocation has a status.
void register_coarray(std::size_t bytes, Registration registration, Slot* slot, Descriptor* descriptor) {
    start(nullptr, nullptr);
    descriptor->base = nullptr;
    if (const execution::Array* const array = std::exchange(shown_next, nullptr))
        return register_alias(*array, bytes, slot, descriptor);
    const execution::NodeSetPointer team = execution::Context::get().executing();
    if (const localview::Absence absence = localview::sync_all(*team); absence != localview::Absence::none)
        throw localview::Missing(absence);
    localview::Coarray& coarray = localview::allocate("", bytes, team);
    descriptor->base = coarray.base;
    slot->coarray = new Token{coarray.direct,
                              bytes,
                              &coarray,
                              registration,
                              descriptor,
                              &slot->coarray,
                              static_cast<BasicType>(descriptor->type.type)};
    coarrays().insert(slot->coarray);
    note_allocation(slot->coarray);
}

void deregister_alias(Slot* slot) {
    localview::sync_all(*execution::Context::get().executing());
    coarrays().erase(slot->coarray);
    delete std::exchange(slot->coarray, nullptr);
}

// Images that failed are missed by nobody but the status.
void deregister_coarray(Slot* slot, const Outcome& outcome) {
    if (slot->coarray->coarray->blocks->of_global_array) return deregister_alias(slot);
    const localview::Absence absence = localview::absence_in(slot->coarray->coarray->blocks->images->world_ranks());
    Token* const token = slot->coarray;
    deallocate(token);
    slot->coarray = nullptr;
    if (outcome.stat != nullptr && absence == localview::Absence::failed)
        report(outcome, absence);
    else
        outcome.success();
}

// Whether the object around the token still points to the memory: gfortran moves a text by realloc, and then the old address is
// somebody else's. Pointers and descriptors lie in front of their tokens.
bool still_there(const Slot* slot, const void* memory) {
    const char* const begin = begin_around(slot);
    if (begin == nullptr) return true;
    for (const auto* word = reinterpret_cast<void* const*>(slot); reinterpret_cast<const char*>(--word) >= begin;)
        if (*word == memory) return true;
    return false;
}

void deregister_component(Slot* slot) {
    void* memory = slot->component;
    if (void* const now = moved_component(memory)) memory = now;
    if (memory != nullptr && still_there(slot, memory)) free_component(memory);
    slot->component = nullptr;
}

}  // namespace

const Token* token_of(std::int64_t number) {
    for (const Token* const token : coarrays())
        if (token->coarray->blocks->number == number) return token;
    return nullptr;
}

void deallocate(Token* token) {
    localview::release(*token->coarray);
    note_deallocation(token);
    coarrays().erase(token);
    delete token;
}

void deallocate_of_team(Token* token) {
    void* const block = token->coarray->base;
    Descriptor* const descriptor = token->descriptor;
    if (*token->slot == token) *token->slot = nullptr;
    deallocate(token);
    if (descriptor->base == block) descriptor->base = nullptr;
}

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_register(std::size_t size, Registration registration, Slot* token, Descriptor* descriptor,
                                       int* stat, char* message, std::size_t length) {
    if (registration == Registration::component) {
        token->component = nullptr;
        return;
    }
    static const XMP_Site site = {nullptr, 0, "the allocation of a coarray or of a component of one"};
    execution::guarded(&site, [&] {
        const Outcome outcome{stat, message, length};
        try {
            if (stat != nullptr && registration != Registration::component_allocation) forgive_next_sync_all();
            if (is_component(registration, token))
                register_component(size, token, descriptor);
            else
                register_coarray(bytes_of(registration, size), registration, token, descriptor);
            outcome.success();
        } catch (const localview::Missing& missing) {
            report(outcome, missing.absence);
        } catch (const base::Error& error) {
            outcome.report(stat_allocation, error);
        }
    });
}

extern "C" void XMP_Fortran_coarray_of_block(const XMP_Array* array) {
    shown_next = &execution::array_of(array);
}

extern "C" void _gfortran_caf_deregister(Slot* token, Deregistration /*what*/, int* stat, char* message, std::size_t length) {
    static const XMP_Site site = {nullptr, 0, "the deallocation of a coarray or of a component of one"};
    execution::guarded(&site, [&] {
        const Outcome outcome{stat, message, length};
        outcome.of([&] {
            if (coarrays().count(token->coarray) != 0) return deregister_coarray(token, outcome);
            deregister_component(token);
            outcome.success();
        });
    });
}
