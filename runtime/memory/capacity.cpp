#include "runtime/memory/capacity.hpp"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace kumihimo::memory {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max() / 4;

// "key:   123 kB" lines of /proc/meminfo, in bytes.
struct MemoryInfo {
    std::size_t total = unlimited, available = unlimited, swap = 0;
};

MemoryInfo memory_info() {
    MemoryInfo info;
    std::ifstream file("/proc/meminfo");
    std::string key, unit;
    std::size_t value = 0;
    while (file >> key >> value) {
        std::getline(file, unit);
        if (key == "MemTotal:") info.total = value << 10;
        if (key == "MemAvailable:") info.available = value << 10;
        if (key == "SwapFree:") info.swap = value << 10;
    }
    return info;
}

// One number in a control group's file; unlimited if the file is missing or says "max".
std::size_t number_in(const std::string& path) {
    std::ifstream file(path);
    std::size_t value = unlimited;
    return file >> value ? std::min(value, unlimited) : unlimited;
}

// The group of this process below the mount point (version 2: the line "0::/path").
std::string control_group() {
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("0::", 0) == 0) return line.substr(3);
    return "/";
}

// The tightest limit of this group and the groups around it.
void apply_control_groups(Capacity& capacity) {
    for (std::string group = control_group();; group = group.substr(0, group.rfind('/'))) {
        const std::string folder = "/sys/fs/cgroup" + group;
        const std::size_t limit = number_in(folder + "/memory.max"), used = number_in(folder + "/memory.current");
        if (limit < unlimited && used < unlimited) {
            capacity.total = std::min(capacity.total, limit);
            capacity.available = std::min(capacity.available, limit > used ? limit - used : 0);
        }
        if (group.empty() || group == "/") return;
    }
}

}  // namespace

Capacity capacity() {
    const MemoryInfo info = memory_info();
    Capacity result{info.available + info.swap, info.total + info.swap};
    apply_control_groups(result);
    return result;
}

std::size_t method_space(base::SharingMethod method) {
    struct statvfs space;
    if (method != base::SharingMethod::posix || statvfs("/dev/shm", &space) != 0) return unlimited;
    return static_cast<std::size_t>(space.f_bavail) * space.f_frsize;
}

std::size_t address_space() {
    rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const std::size_t used = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace kumihimo::memory
