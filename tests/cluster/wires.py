"""Networks of cables between hosts in a box (hosts.py), for what depends on who shares a link: a torus, or a star, whose hosts
pass on what is for others.

Every host has one address (`address`), on an interface `data` of its own. A cable is a pair of interfaces, with a rate each
way (tc) and room for what waits: nothing is lost. Each connection has no more than `WINDOW` bytes under way, so that those who
share a link have like parts of it. Messages take the ways of simulator/networks: along one axis after the other, the shorter
way round, of equal ones + from even places."""

import itertools
import math

from hosts import Missing

PREFIX = "10.78.0"
WINDOW = 65536  # bytes, which the receiver's memory limits
# A sender with no memory left waits for an acknowledgement; that of a message's last frame is up to 40 ms late.
SENDERS = 4 * WINDOW
# A link that was idle lets the burst pass at once, which no cable does: as little as keeps the rate, a frame and what passes
# while a timer is late.
SHAPING = "tbf rate {rate} burst 2k limit 16m"
TCP = {"tcp_congestion_control": "reno", "tcp_slow_start_after_idle": "0", "ip_forward": "1"}


def address(number):
    return f"{PREFIX}.{number + 1}"


class Torus:
    """Host number i is at place i, the first axis the fastest. Axes of two hosts have one cable."""

    def __init__(self, extents):
        self.extents = extents
        self.hosts = math.prod(extents)

    def place(self, number):
        return tuple(number // math.prod(self.extents[:axis]) % extent for axis, extent in enumerate(self.extents))

    def number(self, place):
        return sum(at * math.prod(self.extents[:axis]) for axis, at in enumerate(place))

    def beside(self, number, axis, step):
        place = list(self.place(number))
        place[axis] = (place[axis] + step) % self.extents[axis]
        return self.number(place)

    def cables(self):
        pairs = ((one, self.beside(one, axis, 1)) for one in range(self.hosts) for axis in range(len(self.extents)))
        return sorted({tuple(sorted(pair)) for pair in pairs if pair[0] != pair[1]})

    def next(self, here, to):
        """Where a host sends what is for another one."""
        for axis, (at, end) in enumerate(zip(self.place(here), self.place(to))):
            extent = self.extents[axis]
            forward = (end - at) % extent
            if forward:
                up = 2 * forward < extent or (2 * forward == extent and at % 2 == 0)
                return self.beside(here, axis, 1 if up else -1)
        raise ValueError("a host is where it is")

    def way(self, here, to):
        """The hosts that a message passes, both ends included."""
        found = [here]
        while found[-1] != to:
            found.append(self.next(found[-1], to))
        return found


class Star:
    """The last host has no ranks: it is the switch."""

    def __init__(self, ends):
        self.hosts = ends + 1

    def cables(self):
        return [(end, self.hosts - 1) for end in range(self.hosts - 1)]

    def next(self, here, to):
        return to if here == self.hosts - 1 else self.hosts - 1

    def way(self, here, to):
        return [here, self.hosts - 1, to]


def connect(hosts, network, rate):
    """Hosts of hosts.py, as many as the network has, get its cables. rate: as tc has it."""
    made = "\n".join(
        f"ip link add name to{b} netns $(cat {hosts.place}/process-{hosts.names[a]}) mtu 1500 "
        f"type veth peer name to{a} netns $(cat {hosts.place}/process-{hosts.names[b]}) mtu 1500"
        for a, b in network.cables()
    )
    _on(hosts, "login", made)
    for number, name in enumerate(hosts.names):
        beside = [b if a == number else a for a, b in network.cables() if number in (a, b)]
        _on(hosts, name, _host(network, number, beside, rate))


def _host(network, number, beside, rate):
    lines = [f"sysctl -qw net.ipv4.{name}={value}" for name, value in TCP.items()]
    memory = {"r": WINDOW, "w": SENDERS}
    lines += [f"sysctl -qw net.ipv4.tcp_{which}mem='4096 {bytes_} {bytes_}'" for which, bytes_ in memory.items()]
    lines.append("ip link add name data type veth peer name data-end && ip link set data-end up && ip link set data up")
    lines.append(f"ip address add {address(number)}/32 dev data")
    for other in beside:
        lines.append(f"ip link set to{other} up && tc qdisc add dev to{other} root {SHAPING.format(rate=rate)}")
    for to in range(network.hosts):
        if to != number:
            other = network.next(number, to)
            lines.append(f"ip route add {address(to)}/32 via {address(other)} dev to{other} onlink src {address(number)}")
    return "\n".join(lines)


def _on(hosts, name, script):
    done = hosts.run("sh", "-ec", script, host=name, capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"no cables between hosts of namespaces here: {done.stderr.strip()}")


def shared(network, most):
    """Two messages of different senders that share a link, and as few others as can be; pairs of hosts below `most`."""

    def links(pair):
        way = network.way(*pair)
        return set(zip(way, way[1:]))

    pairs = list(itertools.permutations(range(most), 2))
    for one, other in itertools.combinations(pairs, 2):
        if one[0] != other[0] and len(links(one) & links(other)) == 1:
            return one, other
    raise ValueError("no two ways share a link")
