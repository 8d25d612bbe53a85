#include "runtime/xmpio/description.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "base/descriptor.hpp"
#include "kumihimo/generated.h"

namespace kumihimo::xmpio {

using base::Failure;

namespace {

using Json = nlohmann::ordered_json;
constexpr const char* format_name = "Kumihimo flat file";
constexpr int format_version = 1;
constexpr const char* checksum_prefix = "sum64:";
constexpr const char* order_names[] = {"row-major", "column-major"};

Json json_of(const ArrayInFile& array) {
    Json json = {{"name", array.name},   {"offset", array.offset},
                 {"type", array.type},   {"element_bytes", array.element_bytes},
                 {"shape", array.shape}, {"order", order_names[static_cast<int>(array.order)]}};
    if (array.checksum) json["checksum"] = checksum_text(*array.checksum);
    return json;
}

std::uint64_t checksum_in(const std::string& text) {
    unsigned long long value = 0;
    int end = 0;
    if (std::sscanf(text.c_str(), "sum64:%16llx%n", &value, &end) != 1 || end != static_cast<int>(text.size()))
        throw std::invalid_argument("'" + text + "' is no checksum");
    return value;
}

ArrayInFile array_in(const Json& json) {
    ArrayInFile array;
    json.at("name").get_to(array.name);
    json.at("offset").get_to(array.offset);
    json.at("type").get_to(array.type);
    json.at("element_bytes").get_to(array.element_bytes);
    json.at("shape").get_to(array.shape);
    const std::string order = json.at("order").get<std::string>();
    if (order != order_names[0] && order != order_names[1]) throw std::invalid_argument("'" + order + "' is no order");
    array.order = order == order_names[0] ? sets::Order::row_major : sets::Order::column_major;
    if (json.contains("checksum")) array.checksum = checksum_in(json.at("checksum").get<std::string>());
    return array;
}

// That it lies in the file, whose bytes a number can count.
void check(const ArrayInFile& array, Index file_bytes) {
    Index bytes = array.element_bytes;
    bool sound = array.offset >= 0 && bytes > 0;
    for (const Index extent : array.shape) sound = sound && extent >= 0 && !__builtin_mul_overflow(bytes, extent, &bytes);
    if (!sound || bytes > file_bytes || array.offset > file_bytes - bytes)
        throw std::invalid_argument("array '" + array.name + "' does not lie in the file");
}

Failure system_failure(const char* verb, const std::string& name) {
    return Failure{-1, fmt::format("cannot {} '{}': {}", verb, name, std::strerror(errno)), errno};
}

std::optional<Failure> write_durably(const std::string& name, const std::string& text) {
    const base::Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file) return system_failure("create", name);
    for (std::size_t written = 0; written < text.size();) {
        const ssize_t count = ::write(file.get(), text.data() + written, text.size() - written);
        if (count < 0 && errno != EINTR) return system_failure("write", name);
        if (count > 0) written += count;
    }
    if (::fsync(file.get()) != 0) return system_failure("synchronise", name);
    return std::nullopt;
}

}  // namespace

Index ArrayInFile::elements() const {
    return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
}

void Description::add(ArrayInFile array) {
    std::erase_if(arrays, [&](const ArrayInFile& other) { return other.offset < array.end() && array.offset < other.end(); });
    const auto behind =
        std::find_if(arrays.begin(), arrays.end(), [&](const ArrayInFile& other) { return other.offset >= array.end(); });
    arrays.insert(behind, std::move(array));
}

std::string Description::text() const {
    Json list = Json::array();
    for (const ArrayInFile& array : arrays) list.push_back(json_of(array));
    const Json json = {{"format", format_name},
                       {"version", format_version},
                       {"bytes", file_bytes},
                       {"byte_order", "little"},
                       {"arrays", std::move(list)}};
    // Names are what the user's source has, in whatever encoding.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

Description description_in(const Json& json) {
    if (!json.is_object() || json.value("format", "") != format_name)
        throw std::invalid_argument(fmt::format("it is no description of a {}", format_name));
    if (json.at("version") != format_version)
        throw std::invalid_argument("its version is " + json.at("version").dump() + ", this program reads version 1");
    if (json.at("byte_order") != "little") throw std::invalid_argument("its byte order is not this machine's");
    Description description;
    json.at("bytes").get_to(description.file_bytes);
    for (const Json& one : json.at("arrays")) {
        description.arrays.push_back(array_in(one));
        check(description.arrays.back(), description.file_bytes);
    }
    return description;
}

}  // namespace

// Errors without the library's own tag, which is for programmers.
Description Description::parse(const std::string& text) {
    try {
        return description_in(Json::parse(text));
    } catch (const Json::exception& error) {
        const std::string_view what = error.what();
        const std::size_t tag = what.find("] ");
        throw std::invalid_argument(std::string(tag == std::string_view::npos ? what : what.substr(tag + 2)));
    }
}

std::string description_name(const std::string& file) {
    return file + ".json";
}

std::string load_description(const std::string& file) {
    std::ifstream stream(description_name(file), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) throw std::system_error(errno, std::generic_category(), "cannot read '" + description_name(file) + "'");
    return text;
}

std::optional<Failure> synchronise_directory_of(const std::string& name) {
    const auto parent = std::filesystem::path(name).parent_path();
    const std::string directory = parent.empty() ? "." : parent.string();
    const base::Descriptor file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!file) return system_failure("open", directory);
    // Some network file systems know no such thing, and need none.
    if (::fsync(file.get()) != 0 && errno != EINVAL && errno != ENOTSUP) return system_failure("synchronise", directory);
    return std::nullopt;
}

std::optional<Failure> store_description(const std::string& file, const Description& description) {
    const std::string name = description_name(file), fresh = name + ".new";
    if (auto failure = write_durably(fresh, description.text())) return failure;
    if (std::rename(fresh.c_str(), name.c_str()) != 0) return system_failure("replace", name);
    return synchronise_directory_of(name);
}

std::string checksum_text(std::uint64_t checksum) {
    return fmt::format("{}{:016x}", checksum_prefix, checksum);
}

std::string type_in_file(int type, std::size_t element_bytes) {
    const auto bits = element_bytes * 8;
    switch (type) {
        case XMP_TYPE_BOOL:
            return "bool";
        case XMP_TYPE_CHAR:
        case XMP_TYPE_SCHAR:
        case XMP_TYPE_SHORT:
        case XMP_TYPE_INT:
        case XMP_TYPE_LONG:
        case XMP_TYPE_LONGLONG:
            return fmt::format("int{}", bits);
        case XMP_TYPE_UCHAR:
        case XMP_TYPE_USHORT:
        case XMP_TYPE_UINT:
        case XMP_TYPE_ULONG:
        case XMP_TYPE_ULONGLONG:
            return fmt::format("uint{}", bits);
        case XMP_TYPE_FLOAT:
        case XMP_TYPE_DOUBLE:
            return fmt::format("float{}", bits);
        case XMP_TYPE_LONGDOUBLE:
            return "longdouble";
        case XMP_TYPE_FLOAT_COMPLEX:
        case XMP_TYPE_DOUBLE_COMPLEX:
            return fmt::format("complex{}", bits);
        case XMP_TYPE_LONGDOUBLE_COMPLEX:
            return "clongdouble";
        case XMP_TYPE_LOGICAL:
            return "logical";
        default:
            return "bytes";
    }
}

}  // namespace kumihimo::xmpio
