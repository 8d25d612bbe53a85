#include "iod/process/agent.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include <cstdio>

#include "iod/catwalk/session.hpp"
#include "iod/files/service.hpp"
#include "iod/files/stored_file.hpp"
#include "iod/link/agent.hpp"
#include "iod/link/relay.hpp"

namespace kumihimo::iod::process {

namespace {

std::shared_ptr<Service> open_catwalk(Host& host, std::uint32_t number, std::shared_ptr<Connection> opener,
                                      const Arrival& arrival) {
    return std::make_shared<Session>(host, number, decode<Open>(arrival.payload), std::move(opener));
}

std::shared_ptr<Service> open_relay(Host& host, std::uint32_t number, std::shared_ptr<Connection> opener,
                                    const Arrival& arrival) {
    return std::make_shared<Relay>(host, number, decode<Route>(arrival.payload), std::move(opener));
}

// Which message opens what.
Openers openers() {
    return {{Type::open, open_catwalk}, {Type::route, open_relay}};
}

}  // namespace
}  // namespace kumihimo::iod::process

namespace kumihimo::iod {

namespace {

// To whoever waits for a welcome; there is nobody else yet.
void refuse(const base::Descriptor& starter, const std::exception& error) try {
    const Payload why = encode(Status::of_exception(error, "the I/O process cannot begin"));
    const HeaderBytes header = encode_header({Type::refuse, 0, 0, 0, 0, 0}, why);
    Payload frame(header);
    frame.append(why);
    [[maybe_unused]] const auto sent = ::send(starter.get(), frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
} catch (const std::exception&) {  // then the end of the connection must say it
}

}  // namespace

// Signals are the business of the process's other threads, if it has any; a file that grows too large is an error, not a
// signal.
static void run(process::Ends starter, Lifetime lifetime, process::Openers openers, bool from_another_machine,
                std::uint64_t most_bytes = process::Budget::unlimited) noexcept {
    sigset_t all, before;
    sigfillset(&all);
    for (const int deadly : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT, SIGHUP}) sigdelset(&all, deadly);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    try {
        process::Agent agent(lifetime, std::move(openers));
        agent.serve(std::move(starter), from_another_machine, most_bytes);
        agent.run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "kumihimo-iod: %s\n", error.what());
        if (starter.in && !starter.out) refuse(starter.in, error);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void run_agent(int connection, Lifetime lifetime) noexcept {
    run(base::Descriptor(connection), lifetime, process::openers(), false);
}

void run_file_agent(process::Ends starter, std::shared_ptr<const process::Root> root) noexcept {
    process::Store store = process::store_of(root);
    run_file_agent(std::move(starter), std::move(root), std::move(store));
}

void run_file_agent(process::Ends starter, std::shared_ptr<const process::Root> root, process::Store store) noexcept {
    const std::uint64_t most_bytes = root->rights().bytes;
    run(std::move(starter), Lifetime::of_its_connections, process::file_openers(std::move(root), std::move(store)), true,
        most_bytes);
}

void run_file_agent_here(int connection) noexcept {
    const auto root = std::make_shared<const process::Root>("/", process::Rights{}, "on this machine");
    run(base::Descriptor(connection), Lifetime::of_its_connections, process::file_openers(root, process::store_of(root)),
        false);
}

StartedAgent start_agent(const std::string& program) {
    return link::start(program, [](int connection) { run_agent(connection, Lifetime::of_its_files); });
}

}  // namespace kumihimo::iod
