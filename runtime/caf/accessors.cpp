// Coindexed objects as gfortran 15 accesses them (gfortran's manual, "Function ABI Documentation"): it makes a function of
// each, an accessor, which reads or writes the object on the image that has it. Numbers and texts of an image whose memory is
// mapped here are accessed by the accessor here. What is of a derived type may lead to memory of the other image only, so that
// image calls it (errands.hpp), and so do images on other machines. Of a reference `a[k, team=t]` k is an image of that team.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/caf/assignment.hpp"
#include "runtime/caf/bytes.hpp"
#include "runtime/caf/errands.hpp"
#include "runtime/caf/image_control.hpp"
#include "runtime/caf/start.hpp"
#include "runtime/caf/teams.hpp"
#include "runtime/localview/desks.hpp"
#include "runtime/localview/failures.hpp"

namespace kumihimo::caf {

namespace {

// buffer: a descriptor, whose memory the getter allocates, or where it puts the address of a scalar. base: the object or its
// descriptor. Behind it the object's token and offset, as gfortran passes coarrays.
using Getter = void(void* data, const int* image, void* buffer, std::int32_t* is_new, void* base, const Token*, std::size_t,
                    std::size_t* to_length, const std::size_t* from_length);
using Setter = void(void* data, const int* image, void* base, const void* value, const Token*, std::size_t,
                    const std::size_t* to_length, const std::size_t* from_length);
using Inquirer = void(void* data, const int* image, std::int32_t* result, void* base, const Token*, std::size_t);

struct Accessor {
    int hash;
    void* function;
};

std::vector<Accessor>& accessors() {
    static auto& all = *new std::vector<Accessor>;
    return all;
}

const Accessor& accessor(int index) {
    if (index < 0 || static_cast<std::size_t>(index) >= accessors().size())
        throw base::Error("an access to another image by a function that nobody registered",
                          "Link all objects of the program.");
    return accessors()[static_cast<std::size_t>(index)];
}

// A length of a text that is known when the program runs.
struct Length {
    bool given = false;
    std::size_t value = 0;
    explicit Length(const std::size_t* length) : given(length != nullptr), value(given ? *length : 0) {}
    std::size_t* address() { return given ? &value : nullptr; }
};

// The value of an access, wherever it is.
struct Value {
    bool described = false;
    Descriptor descriptor{};
    std::vector<std::byte> bytes;  // elements one behind the other
    Length length{nullptr};

    // As an accessor wants it.
    const void* address() {
        if (!described) return bytes.data();
        descriptor.base = bytes.data();
        return &descriptor;
    }
};

Descriptor copy_of(const Descriptor& descriptor) {
    Descriptor copy{};
    std::memcpy(&copy, &descriptor,
                offsetof(Descriptor, dimension) + static_cast<std::size_t>(descriptor.type.rank) * sizeof(DescriptorDimension));
    return copy;
}

// Without gaps.
void make_dense(Descriptor& descriptor) {
    std::ptrdiff_t stride = 1;
    descriptor.offset = 0;
    descriptor.span = static_cast<std::ptrdiff_t>(descriptor.type.element_bytes);
    for (int d = 0; d < descriptor.type.rank; ++d) {
        DescriptorDimension& dimension = descriptor.dimension[d];
        dimension.stride = stride;
        descriptor.offset -= stride * dimension.lower;
        stride *= std::max<std::ptrdiff_t>(0, dimension.upper - dimension.lower + 1);
    }
}

Value value_of(const Descriptor& array, const std::size_t* length) {
    const Bytes elements(array);
    Value value{true, copy_of(array), {elements.data(), elements.data() + elements.bytes()}, Length(length)};
    make_dense(value.descriptor);
    return value;
}

Value value_of(const void* scalar, std::size_t bytes, const std::size_t* length) {
    const auto* const begin = static_cast<const std::byte*>(scalar);
    const std::size_t all = length != nullptr ? bytes * *length : bytes;
    return {false, {}, {begin, begin + all}, Length(length)};
}

// ---- the object ----

// One side of an access. described: the object's descriptor on this image, or null.
struct Object {
    const Token* token;
    const Descriptor* described;
    int image, node;
};

Object object(const Token* token, const Descriptor* described, int image, Team** team, const int* team_number) {
    if (team == nullptr && team_number == nullptr) return {token, described, image, node_of_image(image)};
    if (team == nullptr)
        throw base::Error("an image selector with TEAM_NUMBER", "Select by TEAM, or in a CHANGE TEAM construct.");
    return {token, described, image, node_of_image(selected_in(*team, image))};
}

// What an accessor gets for the object in an image's block.
class Base {
public:
    Base(const Descriptor* described, std::ptrdiff_t offset, char* block) : address_(block + offset) {
        if (described == nullptr) return;
        descriptor_ = copy_of(*described);
        descriptor_.base = address_;
        address_ = reinterpret_cast<char*>(&descriptor_);
    }
    Base(const Base&) = delete;
    Base& operator=(const Base&) = delete;
    void* address() { return address_; }

private:
    Descriptor descriptor_;
    char* address_;
};

// Of the described object in the block: 0 where it is the whole coarray.
std::ptrdiff_t offset_in_block(const Object& object) {
    if (object.described == nullptr || object.described->base == nullptr) return 0;
    const std::ptrdiff_t offset =
        static_cast<const char*>(object.described->base) - static_cast<const char*>(object.token->coarray->base);
    return offset >= 0 && static_cast<std::size_t>(offset) < object.token->bytes ? offset : 0;
}

// Where the accessor may run here, the block; else null.
char* block_here(const Object& object) {
    const int me = execution::Context::get().world_rank();
    if (object.node == me) return static_cast<char*>(object.token->coarray->base);
    return object.token->type == BasicType::derived ? nullptr : object.token->direct[object.node];
}

// ---- what an accessor does ----

Value get_array(Getter* getter, void* data, int image, void* base, const Token* token, Length to, Length from) {
    Value value{true, {}, {}, to};
    std::int32_t is_new = 0;
    getter(data, &image, &value.descriptor, &is_new, base, token, 0, value.length.address(), from.address());
    const Bytes elements(value.descriptor);
    value.bytes.assign(elements.data(), elements.data() + elements.bytes());
    std::free(value.descriptor.base);
    make_dense(value.descriptor);
    return value;
}

Value get_scalar(Getter* getter, void* data, int image, std::size_t bytes, void* base, const Token* token, Length to,
                 Length from) {
    Length length = to;
    const void* place = nullptr;
    std::int32_t is_new = 0;
    getter(data, &image, &place, &is_new, base, token, 0, length.address(), from.address());
    if (place == nullptr) throw base::Error("what is not allocated on the image", "Ask allocated() of it first.");
    return value_of(place, bytes, length.address());
}

// ---- at another image ----

enum class Errand { get_array, get_scalar, set, inquire };

struct Request {
    Errand errand;
    int hash, image;
    bool described;             // the object
    std::int64_t coarray;       // its number
    std::ptrdiff_t offset;      // of the object in the block
    Descriptor descriptor;      // of the object
    std::size_t element_bytes;  // of a scalar
    Length to{nullptr}, from{nullptr};
    bool value_described;
    Descriptor value_descriptor;
    std::size_t data_bytes, value_bytes;  // behind it, each at a multiple of `alignment`
};
constexpr std::size_t alignment = 16;

std::size_t aligned(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

struct Answer {
    enum { done, no_coarray, no_accessor } outcome = done;
    std::int32_t result = 0;
    Descriptor descriptor{};
    Length length{nullptr};
    std::size_t bytes = 0;  // behind it
};

template <typename Head>
std::vector<std::byte> packed(const Head& head, std::initializer_list<std::span<const std::byte>> parts) {
    std::vector<std::byte> all(aligned(sizeof head));
    std::memcpy(all.data(), &head, sizeof head);
    for (const std::span<const std::byte> part : parts) {
        all.insert(all.end(), part.begin(), part.end());
        all.resize(aligned(all.size()));
    }
    return all;
}

std::vector<std::byte> serve(std::span<const std::byte> message) {
    std::vector<std::byte> own(message.begin(), message.end());  // which accessors may write to
    Request request;
    std::memcpy(static_cast<void*>(&request), own.data(), sizeof request);
    std::byte* const data = own.data() + aligned(sizeof request);
    Answer answer;
    const Token* const token = token_of(request.coarray);
    const auto found =
        std::find_if(accessors().begin(), accessors().end(), [&](const Accessor& one) { return one.hash == request.hash; });
    if (token == nullptr) answer.outcome = Answer::no_coarray;
    if (found == accessors().end()) answer.outcome = Answer::no_accessor;
    if (answer.outcome != Answer::done) return packed(answer, {});
    Base base(request.described ? &request.descriptor : nullptr, request.offset, static_cast<char*>(token->coarray->base));
    Value value{request.value_described, request.value_descriptor, {}, request.from};
    switch (request.errand) {
        case Errand::get_array:
            value = get_array(reinterpret_cast<Getter*>(found->function), data, request.image, base.address(), token,
                              request.to, request.from);
            break;
        case Errand::get_scalar:
            value = get_scalar(reinterpret_cast<Getter*>(found->function), data, request.image, request.element_bytes,
                               base.address(), token, request.to, request.from);
            break;
        case Errand::set: {
            const std::byte* const begin = data + aligned(request.data_bytes);
            value.bytes.assign(begin, begin + request.value_bytes);
            reinterpret_cast<Setter*>(found->function)(data, &request.image, base.address(), value.address(), token, 0,
                                                       request.to.address(), request.from.address());
            value.bytes.clear();
            break;
        }
        case Errand::inquire:
            reinterpret_cast<Inquirer*>(found->function)(data, &request.image, &answer.result, base.address(), token, 0);
            break;
    }
    answer.descriptor = value.descriptor;
    answer.length = value.length;
    answer.bytes = value.bytes.size();
    return packed(answer, {value.bytes});
}

struct Data {
    void* bytes;
    std::size_t size;
    std::span<const std::byte> span() const { return {static_cast<const std::byte*>(bytes), size}; }
};

// value: of Errand::set.
std::pair<Answer, std::vector<std::byte>> run(Errand errand, const Object& object, int index, const Data& data, Length to,
                                              Length from, std::size_t element_bytes, const Value& value) {
    const std::int64_t number = object.token->coarray->blocks->number;
    if (number < 0)
        throw base::Error("an access by another image to a coarray that a team has allocated",
                          "gfortran 15's coarrays of derived types, and those on other machines, are allocated by all images.");
    Request request{};
    request.errand = errand;
    request.hash = accessor(index).hash;
    request.image = object.image;
    request.described = object.described != nullptr;
    if (request.described) request.descriptor = copy_of(*object.described);
    request.coarray = number;
    request.offset = offset_in_block(object);
    request.element_bytes = element_bytes;
    request.to = to;
    request.from = from;
    request.value_described = value.described;
    request.value_descriptor = value.descriptor;
    request.data_bytes = data.size;
    request.value_bytes = value.bytes.size();
    std::vector<std::byte> bytes = run_errand(object.node, packed(request, {data.span(), value.bytes}));
    Answer answer;
    std::memcpy(static_cast<void*>(&answer), bytes.data(), sizeof answer);
    if (answer.outcome != Answer::done)
        throw base::Error(fmt::format("image {} does not know the {} of an access", object.image,
                                      answer.outcome == Answer::no_coarray ? "coarray" : "accessor"),
                          "All images must run the same program.");
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(aligned(sizeof answer));
    return {answer, {begin, begin + static_cast<std::ptrdiff_t>(answer.bytes)}};
}

// ---- the three accesses ----

Value get(const Object& object, int index, const Data& data, bool array, std::size_t element_bytes, Length to, Length from) {
    if (char* const block = block_here(object)) {
        auto* const getter = reinterpret_cast<Getter*>(accessor(index).function);
        Base base(object.described, offset_in_block(object), block);
        return array ? get_array(getter, data.bytes, object.image, base.address(), object.token, to, from)
                     : get_scalar(getter, data.bytes, object.image, element_bytes, base.address(), object.token, to, from);
    }
    auto [answer, bytes] =
        run(array ? Errand::get_array : Errand::get_scalar, object, index, data, to, from, element_bytes, Value());
    return {array, answer.descriptor, std::move(bytes), answer.length};
}

void set(const Object& object, int index, const Data& data, Length to, Value& value) {
    if (char* const block = block_here(object)) {
        Base base(object.described, offset_in_block(object), block);
        reinterpret_cast<Setter*>(accessor(index).function)(data.bytes, &object.image, base.address(), value.address(),
                                                            object.token, 0, to.address(), value.length.address());
    } else {
        run(Errand::set, object, index, data, to, value.length, 0, value);
    }
}

bool is_present(const Object& object, int index, const Data& data) {
    if (char* const block = block_here(object)) {
        std::int32_t result = 0;
        Base base(object.described, offset_in_block(object), block);
        reinterpret_cast<Inquirer*>(accessor(index).function)(data.bytes, &object.image, &result, base.address(), object.token,
                                                              0);
        return result != 0;
    }
    return run(Errand::inquire, object, index, data, Length(nullptr), Length(nullptr), 0, Value()).first.result != 0;
}

// The variable of this image gets an array: its memory, or new memory where it may have another shape.
void store(const Value& value, Descriptor& variable, bool may_move) {
    if (may_move) {
        void* const memory = std::realloc(variable.base, std::max<std::size_t>(1, value.bytes.size()));
        if (memory == nullptr) throw base::Error(fmt::format("no memory for {}", base::bytes_text(value.bytes.size())));
        variable.base = memory;
        variable.offset = value.descriptor.offset;
        variable.span = value.descriptor.span;
        variable.type.element_bytes = value.descriptor.type.element_bytes;
        std::copy_n(value.descriptor.dimension, variable.type.rank, variable.dimension);
    }
    if (!value.bytes.empty()) std::memcpy(variable.base, value.bytes.data(), value.bytes.size());
}

template <typename Body>
void access(const XMP_Site& site, int* stat, Body&& body) {
    execution::guarded(&site, [&] {
        const Outcome outcome{stat, nullptr, 0};
        outcome.of([&] {
            body();
            outcome.success();
        });
    });
}

void check_alive(const Object& object, const int* stat) {
    if (stat != nullptr && localview::failure_of(object.node) != localview::Failure::none)
        throw localview::Missing(localview::Absence::failed);
}

}  // namespace

}  // namespace kumihimo::caf

using namespace kumihimo;
using namespace kumihimo::caf;

extern "C" void _gfortran_caf_register_accessor(int hash, void* function) {
    accessors().push_back({hash, function});
}

// Called by each file that has some, by all images.
extern "C" void _gfortran_caf_register_accessors_finish() {
    start(nullptr, nullptr);
    open_errands(&serve);
    std::sort(accessors().begin(), accessors().end(), [](const Accessor& a, const Accessor& b) { return a.hash < b.hash; });
}

extern "C" int _gfortran_caf_get_remote_function_index(int hash) {
    const auto found = std::lower_bound(accessors().begin(), accessors().end(), hash,
                                        [](const Accessor& one, int wanted) { return one.hash < wanted; });
    return found != accessors().end() && found->hash == hash ? static_cast<int>(found - accessors().begin()) : -1;
}

extern "C" void _gfortran_caf_get_from_remote(const Token* token, const Descriptor* from, const std::size_t* from_length,
                                              int image, std::size_t element_bytes, void** to, std::size_t* to_length,
                                              Descriptor* to_array, bool may_move, int index, void* data,
                                              std::size_t data_bytes, int* stat, Team** team, int* team_number) {
    static const XMP_Site site = {nullptr, 0, "a reference to a coarray of another image"};
    access(site, stat, [&] {
        const Object there = object(token, from, image, team, team_number);
        check_alive(there, stat);
        Value value =
            get(there, index, {data, data_bytes}, to_array != nullptr, element_bytes, Length(to_length), Length(from_length));
        if (to_length != nullptr) *to_length = value.length.value;
        if (to_array != nullptr)
            store(value, *to_array, may_move);
        else
            std::memcpy(*to, value.bytes.data(), value.bytes.size());
    });
}

extern "C" void _gfortran_caf_send_to_remote(const Token* token, const Descriptor* to, const std::size_t* to_length, int image,
                                             std::size_t element_bytes, const void* from, const std::size_t* from_length,
                                             const Descriptor* from_array, int index, void* data, std::size_t data_bytes,
                                             int* stat, Team** team, int* team_number) {
    static const XMP_Site site = {nullptr, 0, "an assignment to a coarray of another image"};
    access(site, stat, [&] {
        const Object there = object(token, to, image, team, team_number);
        check_alive(there, stat);
        Value value = from_array != nullptr ? value_of(*from_array, from_length) : value_of(from, element_bytes, from_length);
        set(there, index, {data, data_bytes}, Length(to_length), value);
    });
}

extern "C" void _gfortran_caf_transfer_between_remotes(const Token* to_token, const Descriptor* to, std::size_t* to_length,
                                                       int to_image, int to_index, void* to_data, std::size_t to_data_bytes,
                                                       const Token* from_token, const Descriptor* from,
                                                       const std::size_t* from_length, int from_image, int from_index,
                                                       void* from_data, std::size_t from_data_bytes, std::size_t element_bytes,
                                                       bool scalar, int* to_stat, int* from_stat, Team** to_team,
                                                       int* to_team_number, Team** from_team, int* from_team_number) {
    static const XMP_Site site = {nullptr, 0, "an assignment from image to image"};
    Value value;
    bool has_come = false;
    access(site, from_stat, [&] {
        const Object there = object(from_token, from, from_image, from_team, from_team_number);
        check_alive(there, from_stat);
        value = get(there, from_index, {from_data, from_data_bytes}, !scalar, element_bytes, Length(to_length),
                    Length(from_length));
        has_come = true;
    });
    if (has_come)
        access(site, to_stat, [&] {
            const Object there = object(to_token, to, to_image, to_team, to_team_number);
            check_alive(there, to_stat);
            set(there, to_index, {to_data, to_data_bytes}, Length(to_length), value);
        });
}

extern "C" std::int32_t _gfortran_caf_is_present_on_remote(const Token* token, int image, int index, void* data,
                                                           std::size_t data_bytes) {
    static const XMP_Site site = {nullptr, 0, "an inquiry of another image"};
    bool present = false;
    if (token != nullptr)
        access(site, nullptr, [&] {
            present = is_present(object(token, nullptr, image, nullptr, nullptr), index, {data, data_bytes});
        });
    return present ? 1 : 0;
}
