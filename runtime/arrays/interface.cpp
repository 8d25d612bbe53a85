// The array functions as programs call them: with descriptors by hand (xmp.h), with their arguments as written in compiled
// programs (generated.h).
#include <cstdarg>
#include <optional>

#include "base/error.hpp"
#include "runtime/arrays/functions.hpp"

namespace kumihimo::arrays {

namespace {

using execution::guarded;

void check_communication() {
    if (!execution::Context::get().may_communicate())
        throw base::Error("communication inside a task with the nocomm clause", "Remove nocomm from the task.");
}

// The whole array of a descriptor.
class Described {
public:
    explicit Described(xmp_desc_t descriptor)
        : part_(Part::whole(side_of(execution::array_of(static_cast<const void*>(descriptor))))) {
        part_.side.subscripts = part_.subscripts.data();
    }
    Described(const Described&) = delete;
    operator Operand() const { return Operand(part_.side); }

private:
    static XMP_Side side_of(const execution::Array& array) {
        XMP_Side side{};
        side.text = array.name.c_str();
        side.array = &array;
        side.rank = array.rank;
        return side;
    }
    Part part_;
};

template <typename Function>
void call(const XMP_Site* site, Function&& function) {
    guarded(site, [&] {
        const execution::Visit visit(site, execution::Visiting::at_length);  // of the nodes' own work
        check_communication();
        function();
    });
}

std::vector<Operand> subscripts_of(xmp_desc_t named, std::vector<std::unique_ptr<Described>>& described, va_list list) {
    std::vector<Operand> subscripts;
    for (int d = 0; d < execution::array_of(static_cast<const void*>(named)).rank; ++d) {
        described.push_back(std::make_unique<Described>(va_arg(list, xmp_desc_t)));
        subscripts.emplace_back(*described.back());
    }
    return subscripts;
}

void with_mask(const XMP_Side* mask, const std::function<void(const Operand*)>& use) {
    if (mask == nullptr) return use(nullptr);
    const Operand operand(*mask);
    use(&operand);
}

}  // namespace
}  // namespace kumihimo::arrays

using namespace kumihimo;
using arrays::Described;
using arrays::Operand;

// ---- compiled programs ----

void XMP_Transpose(const XMP_Site* site, const XMP_Side* x, const XMP_Side* a, int) {
    arrays::call(site, [&] { arrays::transpose(Operand(*x), Operand(*a)); });
}

void XMP_Matmul(const XMP_Site* site, const XMP_Side* x, const XMP_Side* a, const XMP_Side* b) {
    arrays::call(site, [&] { arrays::matmul(Operand(*x), Operand(*a), Operand(*b)); });
}

void XMP_Gather(const XMP_Site* site, const XMP_Side* x, const XMP_Side* a, int count, const XMP_Side* subscripts) {
    arrays::call(site, [&] { arrays::gather(Operand(*x), Operand(*a), {subscripts, subscripts + count}); });
}

void XMP_Scatter(const XMP_Site* site, const XMP_Side* x, const XMP_Side* a, int count, const XMP_Side* subscripts) {
    arrays::call(site, [&] { arrays::scatter(Operand(*x), Operand(*a), {subscripts, subscripts + count}); });
}

void XMP_Pack(const XMP_Site* site, const XMP_Side* v, const XMP_Side* a, const XMP_Side* mask) {
    arrays::call(site, [&] {
        arrays::with_mask(mask, [&](const Operand* selected) { arrays::pack(Operand(*v), Operand(*a), selected); });
    });
}

void XMP_Unpack(const XMP_Site* site, const XMP_Side* a, const XMP_Side* v, const XMP_Side* mask) {
    arrays::call(site, [&] {
        arrays::with_mask(mask, [&](const Operand* selected) { arrays::unpack(Operand(*a), Operand(*v), selected); });
    });
}

void XMP_Sort(const XMP_Site* site, const XMP_Side* v1, const XMP_Side* v2, int descending) {
    arrays::call(site, [&] { arrays::sort(Operand(*v1), Operand(*v2), descending != 0); });
}

// ---- descriptors ----

void xmp_transpose(xmp_desc_t x, xmp_desc_t a, int) {
    static const XMP_Site site = {nullptr, 0, "xmp_transpose"};
    arrays::call(&site, [&] { arrays::transpose(Described(x), Described(a)); });
}

void xmp_matmul(xmp_desc_t x, xmp_desc_t a, xmp_desc_t b) {
    static const XMP_Site site = {nullptr, 0, "xmp_matmul"};
    arrays::call(&site, [&] { arrays::matmul(Described(x), Described(a), Described(b)); });
}

void xmp_gather(xmp_desc_t x, xmp_desc_t a, ...) {
    static const XMP_Site site = {nullptr, 0, "xmp_gather"};
    va_list list;
    va_start(list, a);
    arrays::call(&site, [&] {
        std::vector<std::unique_ptr<Described>> described;
        arrays::gather(Described(x), Described(a), arrays::subscripts_of(a, described, list));
    });
    va_end(list);
}

void xmp_scatter(xmp_desc_t x, xmp_desc_t a, ...) {
    static const XMP_Site site = {nullptr, 0, "xmp_scatter"};
    va_list list;
    va_start(list, a);
    arrays::call(&site, [&] {
        std::vector<std::unique_ptr<Described>> described;
        arrays::scatter(Described(x), Described(a), arrays::subscripts_of(x, described, list));
    });
    va_end(list);
}

void xmp_pack(xmp_desc_t v, xmp_desc_t a, xmp_desc_t mask) {
    static const XMP_Site site = {nullptr, 0, "xmp_pack"};
    arrays::call(&site, [&] {
        if (mask == nullptr) return arrays::pack(Described(v), Described(a), nullptr);
        const Described described(mask);
        const Operand selected = described;
        arrays::pack(Described(v), Described(a), &selected);
    });
}

void xmp_unpack(xmp_desc_t a, xmp_desc_t v, xmp_desc_t mask) {
    static const XMP_Site site = {nullptr, 0, "xmp_unpack"};
    arrays::call(&site, [&] {
        if (mask == nullptr) return arrays::unpack(Described(a), Described(v), nullptr);
        const Described described(mask);
        const Operand selected = described;
        arrays::unpack(Described(a), Described(v), &selected);
    });
}

void xmp_sort_up(xmp_desc_t v1, xmp_desc_t v2) {
    static const XMP_Site site = {nullptr, 0, "xmp_sort_up"};
    arrays::call(&site, [&] { arrays::sort(Described(v1), Described(v2), false); });
}

void xmp_sort_down(xmp_desc_t v1, xmp_desc_t v2) {
    static const XMP_Site site = {nullptr, 0, "xmp_sort_down"};
    arrays::call(&site, [&] { arrays::sort(Described(v1), Described(v2), true); });
}
