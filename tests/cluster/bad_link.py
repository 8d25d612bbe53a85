"""A bad link in place of the good one of a host (hosts.py): frames are delayed, and some get lost. It needs no netem, which a
kernel may lack.

    bad_link.py DEVICE NETWORK-NAMESPACE ADDRESS LOSS DELAY      loss: a part of 1; delay: seconds, of each direction

Runs on the login host, whose switch has the good link's end, DEVICE. Both ends become TAP devices, between which this process
carries the frames."""

import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import time

SET_DEVICE, TAP_WITHOUT_HEADER = 0x400454CA, 0x1002
LONGEST_FRAME = 1 << 16


def tap(name):
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, SET_DEVICE, struct.pack("16sH", name.encode(), TAP_WITHOUT_HEADER))
    return descriptor


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def carry(ends, loss, delay):
    other = dict(zip(ends, reversed(ends)))
    on_the_way = []  # (when it arrives, its number, where, frame)
    number = 0
    while True:
        wait = max(0, on_the_way[0][0] - time.monotonic()) if on_the_way else None
        for end in select.select(ends, [], [], wait)[0]:
            frame = os.read(end, LONGEST_FRAME)
            if random.random() >= loss:
                number += 1
                heapq.heappush(on_the_way, (time.monotonic() + delay, number, other[end], frame))
        while on_the_way and on_the_way[0][0] <= time.monotonic():
            _, _, end, frame = heapq.heappop(on_the_way)
            try:
                os.write(end, frame)
            except BlockingIOError:
                pass  # lost, as on any full link


def main():
    device, namespace, address, loss, delay = sys.argv[1:]
    ip("link", "delete", device)
    near = tap(device)
    ip("link", "set", device, "master", "eth0", "up")
    with open(namespace, "rb") as host:
        if ctypes.CDLL(None, use_errno=True).setns(host.fileno(), 0) != 0:
            raise OSError(ctypes.get_errno(), namespace)
    far = tap("eth0")
    ip("address", "add", address, "dev", "eth0")
    ip("link", "set", "eth0", "up")
    print("up", flush=True)
    carry([near, far], float(loss), float(delay))


if __name__ == "__main__":
    main()
