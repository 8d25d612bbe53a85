// What stands behind a token: gfortran keeps one for each coarray and for each allocatable or pointer component of a coarray's
// derived type, and gives it back with every access.
#pragma once

#include "base/error.hpp"
#include "runtime/caf/abi.hpp"
#include "runtime/localview/coarrays.hpp"
#include "runtime/localview/image_control.hpp"

namespace kumihimo::caf {

struct Token {
    char* const* direct = nullptr;          // these two are the coarray's, where the fastest accesses look
    std::size_t bytes = 0;                  // 0: of a component, which no access names by its token
    localview::Coarray* coarray = nullptr;  // null: a component's, whose memory no other image knows of
    Registration registration = Registration::static_coarray;
    Descriptor* descriptor = nullptr;  // the variable's; of a static coarray only while it is registered
    Token** slot = nullptr;            // where gfortran keeps the token
    BasicType type = BasicType::integer;
};

// The one of a coarray that all images have, by its number; null: there is none.
const Token* token_of(std::int64_t number);

// Where gfortran's stat= and errmsg= are. Fills both, or ends the program with the error's message where there is no stat.
struct Outcome {
    int* stat;
    char* message;
    std::size_t length;

    void success() const {
        if (stat != nullptr) *stat = stat_success;
    }
    void report(int status, const base::Error& error) const;  // throws the error where there is no stat
    void report(const localview::Missing& missing) const;
    template <typename Body>
    void of(Body&& body) const {  // reports what it throws
        try {
            body();
        } catch (const localview::Missing& missing) {
            report(missing);
        } catch (const base::Error& error) {
            report(stat_other_error, error);
        }
    }
};

}  // namespace kumihimo::caf
