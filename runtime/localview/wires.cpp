#include "runtime/localview/wires.hpp"

#include <fcntl.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <random>
#include <thread>

#include "base/format.hpp"
#include "base/log.hpp"
#include "runtime/execution/context.hpp"

namespace kumihimo::localview {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_between = 128;  // numbers between images that have a wire: each process has room for some hundreds
constexpr auto longest_opening = std::chrono::seconds(2);
constexpr std::size_t most_addresses = 8;

// How an image can be called, by addresses of IPv6 or in its form of IPv4's; all zero: none. A stranger does not know the key.
struct Card {
    std::array<in6_addr, most_addresses> addresses;
    in_port_t port;
    std::uint64_t key;
};

// Each side's first and only word, to prove who it is: the key of the one that gets it.
struct Greeting {
    std::uint64_t key;
    std::int64_t from;
};

struct Wires {
    static constexpr int nobody = 1 + std::numeric_limits<std::uint8_t>::max();
    std::mutex use;
    std::vector<pollfd> ends;
    std::vector<int> nodes;  // the images there
    int reporter = nobody;   // the first machine that has said so
    static Wires& get() {
        static auto& wires = *new Wires;
        return wires;
    }
    void add(int descriptor, int node) {
        const std::lock_guard lock(use);
        ends.push_back({descriptor, POLLIN | POLLRDHUP, 0});
        nodes.push_back(node);
    }
    bool has(int node) const { return std::find(nodes.begin(), nodes.end(), node) != nodes.end(); }

    // Hears what was said there before.
    bool cut(const pollfd& end) {
        std::uint8_t machine = 0;
        ssize_t heard = 0;
        while ((heard = recv(end.fd, &machine, sizeof machine, MSG_DONTWAIT)) > 0) reporter = std::min<int>(reporter, machine);
        return heard == 0 || (errno != EAGAIN && errno != EINTR);
    }
    // The numbers of those that are cut.
    std::vector<std::size_t> look() {
        std::vector<std::size_t> found;
        if (ends.empty() || poll(ends.data(), ends.size(), 0) <= 0) return found;
        for (std::size_t i = 0; i < ends.size(); ++i)
            if (ends[i].revents != 0 && cut(ends[i])) found.push_back(i);
        return found;
    }
};

int this_number() {
    return execution::Context::get().world_rank();
}

// Those of the far images that this one has a wire with.
std::vector<int> joined_of(std::vector<int> far) {
    std::erase_if(far, [](int node) {
        const int distance = std::abs(node - this_number());
        return std::min(distance, execution::Context::get().world_size() - distance) > most_between;
    });
    return far;
}

in6_addr in_form_of_six(const in_addr& four) {
    in6_addr six = {};
    six.s6_addr[10] = six.s6_addr[11] = 0xff;
    std::memcpy(six.s6_addr + 12, &four, sizeof four);
    return six;
}

bool same(const in6_addr& a, const in6_addr& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

void note_addresses(Card& card) {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return;
    std::size_t count = 0;
    for (const ifaddrs* entry = list; entry != nullptr && count < most_addresses; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_LOOPBACK) != 0 || (entry->ifa_flags & IFF_UP) == 0) continue;
        if (entry->ifa_addr->sa_family == AF_INET)
            card.addresses[count++] = in_form_of_six(reinterpret_cast<const sockaddr_in*>(entry->ifa_addr)->sin_addr);
        if (entry->ifa_addr->sa_family != AF_INET6) continue;
        const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr)->sin6_addr;
        if (!IN6_IS_ADDR_LINKLOCAL(&address)) card.addresses[count++] = address;
    }
    freeifaddrs(list);
}

// An address as sockets of the family take it; length 0: they do not.
struct SocketAddress {
    sockaddr_storage storage = {};
    socklen_t length = 0;
    SocketAddress(int family, const in6_addr& address, in_port_t port) {
        if (family == AF_INET6) {
            set(sockaddr_in6{AF_INET6, port, 0, address, 0});
        } else if (IN6_IS_ADDR_V4MAPPED(&address) || IN6_IS_ADDR_UNSPECIFIED(&address)) {
            sockaddr_in four = {AF_INET, port, {}, {}};
            std::memcpy(&four.sin_addr, address.s6_addr + 12, sizeof four.sin_addr);
            set(four);
        }
    }
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }

private:
    template <typename Address>
    void set(const Address& address) {
        std::memcpy(&storage, &address, sizeof address);
        length = sizeof address;
    }
};

// Opens the wires of this image: it calls those with higher numbers, and is called by those with lower ones.
class Opening {
public:
    explicit Opening(const std::vector<int>& far) : joined_(joined_of(far)) {
        card_.key = std::random_device{}() | std::uint64_t{std::random_device{}()} << 32;
        const int switched_off = 0;
        if ((listener_ = new_socket()) < 0) {  // a kernel without IPv6
            family_ = AF_INET;
            listener_ = new_socket();
        }
        SocketAddress anywhere(family_, in6addr_any, 0);
        setsockopt(listener_, IPPROTO_IPV6, IPV6_V6ONLY, &switched_off, sizeof switched_off);
        if (bind(listener_, anywhere.get(), anywhere.length) != 0 || listen(listener_, SOMAXCONN) != 0) return;
        getsockname(listener_, anywhere.get(), &anywhere.length);
        static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
        card_.port = reinterpret_cast<const sockaddr_in*>(anywhere.get())->sin_port;
        note_addresses(card_);
    }
    ~Opening() {
        for (const Call& call : calls_) close(call.descriptor);
        close(listener_);
    }
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;

    // Until all images have what they can have.
    void run(MPI_Comm communicator) {
        exchange_cards(communicator);
        const auto end = Clock::now() + longest_opening;
        MPI_Request others = MPI_REQUEST_NULL;
        bool ready = false;
        for (int done = 0; done == 0;) {
            listen_and_speak();
            if (!ready && (missing() == 0 || Clock::now() > end)) {
                ready = true;
                MPI_Ibarrier(communicator, &others);
            }
            if (ready) MPI_Test(&others, &done, MPI_STATUS_IGNORE);
        }
    }
    int missing() const {
        return static_cast<int>(
            std::count_if(joined_.begin(), joined_.end(), [](int node) { return !Wires::get().has(node); }));
    }

private:
    struct Call {
        int descriptor, node;  // -1: it is another image that calls
        bool spoken = false;
    };

    int new_socket() const { return socket(family_, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

    void exchange_cards(MPI_Comm communicator) {
        cards_.resize(static_cast<std::size_t>(execution::Context::get().world_size()));
        MPI_Allgather(&card_, sizeof card_, MPI_BYTE, cards_.data(), sizeof card_, MPI_BYTE, communicator);
        for (const int node : joined_)
            if (node > this_number()) call(node);
    }

    // One that this machine has, too (that of a bridge, say), leads nowhere else: unless the other image is of this machine.
    bool leads_there(const Card& card, const in6_addr& address) const {
        const auto elsewhere = [&](const in6_addr& one) {
            return !IN6_IS_ADDR_UNSPECIFIED(&one) && std::none_of(card_.addresses.begin(), card_.addresses.end(),
                                                                  [&](const in6_addr& mine) { return same(mine, one); });
        };
        if (std::any_of(card.addresses.begin(), card.addresses.end(), elsewhere)) return elsewhere(address);
        return !IN6_IS_ADDR_UNSPECIFIED(&address);
    }

    // At all its addresses at once.
    void call(int node) {
        const Card& card = cards_[static_cast<std::size_t>(node)];
        for (const in6_addr& there : card.addresses) {
            if (!leads_there(card, there)) continue;
            SocketAddress address(family_, there, card.port);
            if (address.length == 0) continue;
            const int descriptor = new_socket();
            if (connect(descriptor, address.get(), address.length) == 0 || errno == EINPROGRESS)
                calls_.push_back({descriptor, node});
            else
                close(descriptor);
        }
    }

    void listen_and_speak() {
        constexpr int milliseconds = 1;
        std::vector<pollfd> all = {{listener_, POLLIN, 0}};
        for (const Call& call : calls_)
            all.push_back({call.descriptor, static_cast<short>(call.node >= 0 && !call.spoken ? POLLOUT : POLLIN), 0});
        if (poll(all.data(), all.size(), milliseconds) <= 0) return;
        for (std::size_t i = calls_.size(); i-- > 0;)
            if (all[i + 1].revents != 0 && over(calls_[i])) calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(i));
        for (int caller;
             all[0].revents != 0 && (caller = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;)
            calls_.push_back({caller, -1});
    }

    // Whether there is nothing more to say: it has become a wire, or was none.
    bool over(Call& call) {
        if (call.node >= 0 && !call.spoken) {
            call.spoken = speak(call.descriptor, call.node);
            if (call.spoken) return false;
        } else if (const int node = hear(call.descriptor); node >= 0 && (call.node < 0 || call.node == node)) {
            if (!Wires::get().has(node) && (call.node >= 0 || speak(call.descriptor, node)))
                return become_wire(call.descriptor, node);
        }
        close(call.descriptor);
        return true;
    }
    bool speak(int descriptor, int node) const {
        const Greeting greeting = {cards_[static_cast<std::size_t>(node)].key, this_number()};
        return ::send(descriptor, &greeting, sizeof greeting, MSG_NOSIGNAL) == sizeof greeting;
    }
    // The image that has spoken; negative: none of those that may.
    int hear(int descriptor) const {
        Greeting greeting = {};
        if (recv(descriptor, &greeting, sizeof greeting, 0) != sizeof greeting || greeting.key != card_.key) return -1;
        const auto nodes = static_cast<std::int64_t>(cards_.size());
        return greeting.from >= 0 && greeting.from < nodes ? static_cast<int>(greeting.from) : -1;
    }
    static bool become_wire(int descriptor, int node) {
        constexpr int on = 1, idle = 30, between = 5, probes = 6;  // seconds; together a minute
        setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
        setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
        setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
        setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
        Wires::get().add(descriptor, node);
        return true;
    }

    const std::vector<int> joined_;
    Card card_ = {};
    std::vector<Card> cards_;  // of all
    int family_ = AF_INET6, listener_ = -1;
    std::vector<Call> calls_;
};

}  // namespace

void open_wires(const std::vector<int>& far) {
    Opening opening(far);
    opening.run(execution::Context::get().world_communicator());
    if (const int missing = opening.missing(); missing > 0)
        base::log(base::log_start, "no connection to {} of other machines: their failures are not seen from here",
                  base::counted(missing, "image"));
}

std::vector<int> take_cut_wires() {
    Wires& wires = Wires::get();
    std::vector<int> nodes;
    const std::lock_guard lock(wires.use);
    const std::vector<std::size_t> cut = wires.look();
    for (std::size_t i = cut.size(); i-- > 0;) {
        const auto place = static_cast<std::ptrdiff_t>(cut[i]);
        nodes.push_back(wires.nodes[cut[i]]);
        close(wires.ends[cut[i]].fd);
        wires.ends.erase(wires.ends.begin() + place);
        wires.nodes.erase(wires.nodes.begin() + place);
    }
    return nodes;
}

std::vector<int> cut_wires() {
    Wires& wires = Wires::get();
    std::vector<int> nodes;
    const std::lock_guard lock(wires.use);
    for (const std::size_t one : wires.look()) nodes.push_back(wires.nodes[one]);
    return nodes;
}

// Two that say so at once hear each other: the lower number reports.
bool report_for_all(int machine) {
    constexpr auto longest_way = std::chrono::milliseconds(50);
    Wires& wires = Wires::get();
    const auto word = static_cast<std::uint8_t>(std::min(machine, Wires::nobody - 1));
    {
        const std::lock_guard lock(wires.use);
        wires.look();
        if (wires.reporter != Wires::nobody) return false;
        if (wires.ends.empty()) return true;
        for (const pollfd& end : wires.ends) ::send(end.fd, &word, sizeof word, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    std::this_thread::sleep_for(longest_way);
    const std::lock_guard lock(wires.use);
    wires.look();
    return wires.reporter > machine;
}

}  // namespace kumihimo::localview
