#include "runtime/execution/site.hpp"

#include <utility>

#include "base/format.hpp"

const XMP_Site* XMP_called = nullptr;

namespace kumihimo::execution {

namespace {

// Fortran's directives bring their sentinel; `code` between backquotes is no directive.
bool complete(const char* text) {
    return text[0] == '!' || text[0] == '`';
}

}  // namespace

XMP_Site site_of_call(const char* function) {
    const XMP_Site* const call = std::exchange(XMP_called, nullptr);
    const bool of_this = call != nullptr && call->directive == fmt::format("`{}`", function);
    return of_this ? *call : XMP_Site{nullptr, 0, function};
}

std::string place_text(const XMP_Site& site) {
    if (site.file == nullptr) return site.directive;
    return fmt::format("{}:{}: {}{}", site.file, site.line, complete(site.directive) ? "" : "#pragma xmp ", site.directive);
}

}  // namespace kumihimo::execution
