// What the collective subroutines do with two values: sum, the smaller, the greater, or a function of the program.
#pragma once

#include <cstddef>

#include "runtime/caf/abi.hpp"
#include "runtime/localview/far_collectives.hpp"

namespace kumihimo::caf {

struct Combining {
    localview::Combine combine;
    bool any_kind = false;  // whether it is the program's business what the elements are
};

enum class Intrinsic { sum, least, greatest };

// characters: of a text's length; else 0. Throws base::Error for a type that the operation is not for.
Combining combining(Intrinsic operation, const Descriptor& variable, int characters);

// gfortran describes numbers of kind 10 as those of kind 16, which are as long. Throws base::Error where they cannot be of
// kind 16.
void check_kind(const Descriptor& variable, const std::byte* elements, std::size_t count);

// The function is called as its flags and the variable's type say. Throws base::Error where they do not tell enough.
struct Function {
    void* address;
    int flags;
};
Combining combining(const Function& function, const Descriptor& variable, int characters);

// By a subroutine that stores what comes of two elements; all of it by address, so that it serves any type.
using Storing = void(void* result, const void* left, const void* right);
Combining combining(Storing* function, const Descriptor& variable);

}  // namespace kumihimo::caf
