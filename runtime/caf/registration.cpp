// Coarrays come and go (Fortran 2018, 9.7.1.2, 9.7.3.2). gfortran synchronises after an allocation by itself.
#include "runtime/caf/start.hpp"
#include "runtime/caf/token.hpp"
#include "runtime/execution/context.hpp"

namespace kumihimo::caf {

namespace {

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

void register_coarray(std::size_t bytes, Registration registration, Token** token, Descriptor* descriptor) {
    start(nullptr, nullptr);
    localview::Coarray& coarray = localview::allocate("", bytes, execution::Context::get().executing());
    descriptor->base = coarray.base;
    *token = new Token{coarray.direct, bytes, &coarray, registration, descriptor};
}

void deregister_coarray(Token** token) {
    localview::release(*(*token)->coarray);
    delete *token;
    *token = nullptr;
}

}  // namespace

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_register(std::size_t size, Registration registration, Token** token, Descriptor* descriptor,
                                       int* stat, char* message, std::size_t length) {
    static const XMP_Site site = {nullptr, 0, "the allocation of a coarray"};
    execution::guarded(&site, [&] {
        const Outcome outcome{stat, message, length};
        register_coarray(bytes_of(registration, size), registration, token, descriptor);
        outcome.success();
    });
}

extern "C" void _gfortran_caf_deregister(Token** token, Deregistration /*what*/, int* stat, char* message, std::size_t length) {
    static const XMP_Site site = {nullptr, 0, "the deallocation of a coarray"};
    execution::guarded(&site, [&] {
        const Outcome outcome{stat, message, length};
        deregister_coarray(token);
        outcome.success();
    });
}
