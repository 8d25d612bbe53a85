// Atomic subroutines (Fortran 2018, 16.9.20 to 16.9.30) on integers and logicals of 4 and 8 bytes.
#include <cstring>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/caf/image_control.hpp"
#include "runtime/caf/words.hpp"
#include "runtime/execution/context.hpp"

namespace kumihimo::caf {

namespace {

using transport::Atomic;

enum class Operation : int { add = 1, bit_and, bit_or, bit_xor };  // of _gfortran_caf_atomic_op

Atomic atomic_of(Operation operation) {
    switch (operation) {
        case Operation::add:
            return Atomic::add;
        case Operation::bit_and:
            return Atomic::bit_and;
        case Operation::bit_or:
            return Atomic::bit_or;
        case Operation::bit_xor:
            return Atomic::bit_xor;
    }
    throw base::Error(fmt::format("unknown atomic operation {}", static_cast<int>(operation)));
}

// Values are of the variable's kind; machines are little-endian.
std::int64_t value_at(const void* address, std::size_t bytes) {
    std::int64_t value = 0;
    if (address != nullptr) std::memcpy(&value, address, bytes);
    return value;
}

struct Variable {
    const Token* token;
    std::size_t offset;
    int image, kind;
};

void update(const char* name, const Variable& variable, Atomic operation, const void* operand, const void* compare,
            void* before, int* stat) {
    const XMP_Site site = {nullptr, 0, name};
    execution::guarded(&site, [&] {
        const Outcome outcome{stat, nullptr, 0};
        const auto bytes = static_cast<std::size_t>(variable.kind);
        outcome.of([&] {
            const localview::Place word = word_of(*variable.token, variable.offset, variable.image, bytes);
            if (failed(word)) return report(outcome, localview::Absence::failed);
            const std::int64_t value =
                localview::update(word, bytes, operation, value_at(operand, bytes), value_at(compare, bytes));
            if (before != nullptr) std::memcpy(before, &value, bytes);
            outcome.success();
        });
    });
}

}  // namespace

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_atomic_define(const Token* token, std::size_t offset, int image, const void* value, int* stat,
                                            int /*type*/, int kind) {
    update("an atomic definition", {token, offset, image, kind}, Atomic::define, value, nullptr, nullptr, stat);
}

extern "C" void _gfortran_caf_atomic_ref(const Token* token, std::size_t offset, int image, void* value, int* stat,
                                         int /*type*/, int kind) {
    update("an atomic reference", {token, offset, image, kind}, Atomic::ref, nullptr, nullptr, value, stat);
}

extern "C" void _gfortran_caf_atomic_cas(const Token* token, std::size_t offset, int image, void* before, const void* compare,
                                         const void* value, int* stat, int /*type*/, int kind) {
    update("atomic_cas", {token, offset, image, kind}, Atomic::compare_and_swap, value, compare, before, stat);
}

extern "C" void _gfortran_caf_atomic_op(Operation operation, const Token* token, std::size_t offset, int image,
                                        const void* value, void* before, int* stat, int /*type*/, int kind) {
    update("an atomic operation", {token, offset, image, kind}, atomic_of(operation), value, nullptr, before, stat);
}
