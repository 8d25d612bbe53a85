// What gfortran -fcoarray=lib passes to the functions `_gfortran_caf_*`, of gfortran 8 to 14 (15: accessors.cpp): as the
// chapter "Coarray Programming" of gfortran's manual describes it. Each function is defined, with that name, in the file of its
// subject.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/fortran/descriptor.h"

namespace kumihimo::caf {

constexpr int most_rank = 15;

// What _gfortran_caf_register registers. Locks, events and critical sections are counted in elements of a pointer's size, all
// others in bytes. Components are of derived types whose objects are coarrays; their memory is one image's business.
enum class Registration : int {
    static_coarray,
    allocatable_coarray,
    static_lock,
    allocatable_lock,
    critical,
    static_event,
    allocatable_event,
    component,            // its token only
    component_allocation  // its memory
};

enum class Deregistration : int { coarray, component_memory };

// ISO_FORTRAN_ENV's.
enum Status : int {
    stat_success = 0,
    stat_locked = 1,              // by this image
    stat_locked_other_image = 2,  // unlock of another image's lock
    stat_unlocked = 0,
    stat_duplicate_image = 3,  // libgfortran's own
    stat_other_error = 5000,   // any that is none of the others
    stat_allocation = 5014,    // gfortran's own
    stat_stopped_image = 6000,
    stat_failed_image = 6001,
    stat_unlocked_failed_image = 6002  // taken over from an image that failed; gfortran 12 has no name for it
};

enum class BasicType : signed char { integer = 1, logical, real, complex, derived, character };

// One dimension of a reference with vector subscripts. elements == 0: a triplet.
struct VectorSubscript {
    std::size_t elements;
    union {
        struct {
            void* values;
            int kind;
        } vector;
        struct {
            std::ptrdiff_t lower, upper, stride;
        } triplet;
    };
};

enum class ReferenceKind : int { component, array, static_array };
enum class SubscriptMode : unsigned char { none, vector, full, range, single, open_end, open_start };

// A part of `a[k]%b(i)%c(:)`: a chain from the coarray to what is read or written.
struct Reference {
    Reference* next;
    ReferenceKind kind;
    std::size_t item_bytes;
    union {
        struct {
            std::ptrdiff_t offset;        // of the component in its type
            std::ptrdiff_t token_offset;  // of its token there; 0: neither allocatable nor a pointer
        } component;
        struct {
            SubscriptMode mode[most_rank];
            int static_type;
            union {
                struct {
                    std::ptrdiff_t start, end, stride;
                } range;
                struct {
                    void* values;
                    std::size_t elements;
                    int kind;
                } vector;
            } dimension[most_rank];
        } array;
    };
};

}  // namespace kumihimo::caf
