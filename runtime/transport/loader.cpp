// Finds transports: mpi is built in, the others are modules beside libkumihimo, each with a foreign library inside that must
// not meet its siblings' (two conduits of GASNet share their symbols): opened with local names, and never closed.
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/communicator.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "base/settings.hpp"
#include "runtime/transport/agreement.hpp"
#include "runtime/transport/messages/transport.hpp"
#include "runtime/transport/mpi/transport.hpp"
#include "runtime/transport/transport.hpp"

namespace kumihimo::transport {

namespace {

constexpr const char* prefix = "kumihimo_transport_";

std::vector<const Module*>& linked() {
    static std::vector<const Module*> modules;
    return modules;
}

std::filesystem::path library_directory() {
    Dl_info found{};
    if (dladdr(reinterpret_cast<const void*>(&library_directory), &found) == 0 || found.dli_fname == nullptr) return {};
    return std::filesystem::absolute(found.dli_fname).parent_path();
}

std::filesystem::path file_of(const std::string& name) {
    return library_directory() / (prefix + name + ".so");
}

// transports.txt, written when Kumihimo is configured: a line "name<tab>why it is missing" for each transport not built.
std::vector<Member> not_built() {
    std::vector<Member> result;
    std::ifstream file(library_directory() / "transports.txt");
    for (std::string line; std::getline(file, line);)
        if (const auto tab = line.find('\t'); tab != std::string::npos)
            result.push_back({line.substr(0, tab), line.substr(tab + 1)});
    return result;
}

std::vector<Member> built() {
    std::vector<Member> result = {{"mpi", ""}, {"messages", ""}};
    for (const Module* const module : linked()) result.push_back({module->name, ""});
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(library_directory(), ignored)) {
        const std::string stem = entry.path().stem();
        if (entry.path().extension() == ".so" && stem.starts_with(prefix))
            result.push_back({stem.substr(std::string(prefix).size()), ""});
    }
    std::sort(result.begin() + 2, result.end(), [](const Member& a, const Member& b) { return a.name < b.name; });
    return result;
}

std::string advice() {
    std::string names;
    for (const Member& member : members())
        if (member.missing.empty()) names += " " + member.name;
    return fmt::format("Set KUMIHIMO_TRANSPORT to one of:{}. `kumihimo info` says why others are missing.", names);
}

const Module& checked(const Module& module) {
    if (module.version != module_version)
        throw base::Error(fmt::format("the transport {} was built for version {} of the interface, this is version {}",
                                      module.name, module.version, module_version),
                          "Build it again with this Kumihimo.");
    return module;
}

const Module& open(const std::string& name) {
    for (const Module* const module : linked())
        if (module->name == name) return checked(*module);
    for (const Member& member : members())
        if (member.name == name && !member.missing.empty())
            throw base::Error(fmt::format("the transport {} is missing: {}", name, member.missing), advice());
    const std::filesystem::path file = file_of(name);
    if (name.find('/') != std::string::npos || !std::filesystem::exists(file))
        throw base::Error(fmt::format("there is no transport '{}'", name), advice());
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw base::Error(fmt::format("the transport {} cannot be loaded: {}", name, dlerror()), advice());
    const auto* const module = static_cast<const Module*>(dlsym(library, "kumihimo_transport"));
    if (module == nullptr) throw base::Error(fmt::format("{} is no transport of Kumihimo", file.string()), advice());
    return checked(*module);
}

// A family of conduits by its one name: shared memory where it reaches everybody, else the best network that there is.
std::string conduit_for(MPI_Comm communicator) {
    std::vector<std::string> wanted = {"gasnet-ibv", "gasnet-ofi", "gasnet-ucx", "gasnet-mpi"};
    if (base::on_one_machine(communicator)) wanted.insert(wanted.begin(), "gasnet-smp");
    const std::vector<Member> all = members();
    for (const std::string& name : wanted)
        if (std::any_of(all.begin(), all.end(), [&](const Member& member) { return member.name == name; })) return name;
    return "gasnet";
}

}  // namespace

std::vector<Member> members() {
    std::vector<Member> result = built();
    for (Member& missing : not_built())
        if (std::none_of(result.begin(), result.end(), [&](const Member& member) { return member.name == missing.name; }))
            result.push_back(std::move(missing));
    return result;
}

void check_name(const std::string& name) {
    const std::vector<Member> all = members();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Member& member) { return member.name == name; });
    if (name == "gasnet" || name == "auto") return;  // one of its conduits; mpi or messages
    if (found == all.end()) throw base::Error(fmt::format("there is no transport '{}'", name), advice());
    if (!found->missing.empty())
        throw base::Error(fmt::format("the transport {} is missing: {}", name, found->missing), advice());
}

std::unique_ptr<Transport> make(const std::string& name, MPI_Comm communicator) {
    std::string wanted = name.empty() ? base::setting("KUMIHIMO_TRANSPORT") : name;
    const char* why = "as KUMIHIMO_TRANSPORT or the program says";
    if (wanted == "gasnet") wanted = conduit_for(communicator);
    // MPI's windows are memory that all map on one machine; between machines they are slower than messages, or fail.
    if (wanted == "auto") {
        const bool near = base::on_one_machine(communicator);
        wanted = near ? "mpi" : "messages";
        why = near ? "images are on one machine" : "images are on several machines";
    }
    std::unique_ptr<Transport> result;
    if (wanted == "mpi") {
        result = mpi::make(communicator);
    } else if (wanted == "messages") {
        result = messages::make(communicator);
    } else {
        const Module* module = nullptr;
        together(communicator, [&] { module = &open(wanted); });
        result.reset(module->make(communicator));
    }
    base::log(base::log_start, "transport {} ({}): {}", result->name(), why, result->description());
    return result;
}

}  // namespace kumihimo::transport

extern "C" void kumihimo_add_transport(const kumihimo::transport::Module* module) {
    kumihimo::transport::linked().push_back(module);
}
