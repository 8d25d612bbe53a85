#include "iod/process/marker.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/descriptor.hpp"
#include "base/format.hpp"

namespace kumihimo::iod::process {

namespace {

namespace fs = std::filesystem;

std::string beginning(const fs::path& file) {
    return "." + file.filename().string() + ".kumihimo-incomplete-";
}

fs::path directory_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

Marker::Marker(const std::string& path, std::uint32_t server)
    : name_((directory_of(path) / (beginning(path) + std::to_string(server))).string()) {}

Status Marker::set() {
    if (set_) return {};
    const base::Descriptor file(::open(name_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (!file && errno != EACCES && errno != EPERM && errno != EROFS && errno != ENOENT && errno != ENOTDIR)
        return Status::of_errno(errno, fmt::format("cannot create '{}'", name_));
    set_ = true;
    return {};
}

Status Marker::clear() {
    if (!set_) return {};
    if (::unlink(name_.c_str()) != 0 && errno != ENOENT && errno != EACCES && errno != EPERM && errno != EROFS &&
        errno != ENOTDIR)
        return Status::of_errno(errno, fmt::format("cannot remove '{}'", name_));
    set_ = false;
    return {};
}

std::vector<std::string> Marker::all_of(const std::string& path) {
    std::vector<std::string> found;
    std::error_code ignored;
    for (fs::directory_iterator entry(directory_of(path), ignored), end; !ignored && entry != end; entry.increment(ignored))
        if (entry->path().filename().string().starts_with(beginning(path))) found.push_back(entry->path().string());
    return found;
}

void Marker::remove_all(const std::string& path) {
    for (const std::string& name : all_of(path)) ::unlink(name.c_str());
}

}  // namespace kumihimo::iod::process
