#include "base/siblings.hpp"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

namespace kumihimo::base {

namespace {

// A child of this process's parent that is stopped. /proc/PID/stat: the name in parentheses, then state and parent.
bool stopped_sibling(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_ends = line.rfind(')');
    char state = ' ';
    int parent = 0;
    if (name_ends == std::string::npos || std::sscanf(line.c_str() + name_ends + 1, " %c %d", &state, &parent) != 2)
        return false;
    return parent == getppid() && state == 'T';
}

}  // namespace

void wake_stopped_siblings() {
    const std::unique_ptr<DIR, int (*)(DIR*)> processes(opendir("/proc"), closedir);
    while (const dirent* entry = processes ? readdir(processes.get()) : nullptr) {
        const pid_t process = std::atoi(entry->d_name);
        if (process > 0 && stopped_sibling(process)) kill(process, SIGCONT);
    }
}

}  // namespace kumihimo::base
