"""A model of how images agree whether a collective or a barrier failed (runtime/localview/barriers.hpp): three images, one of
which may die before any of its steps. Every order of their reads and writes of shared memory is tried."""

import pytest

IMAGES = range(3)
OTHERS = [[other for other in IMAGES if other != image] for image in IMAGES]
COLLECTIVES = (2, 1)  # steps of each

# Shared words, by number in the tuple of a state. Each image's knowledge of deaths is a set of bits.
ENTERED, LEFT, FIRST_SKIPPED, LAST_SKIPPED, KNOWN = (range(3 * k, 3 * k + 3) for k in range(5))
SIGNALLED = [range(15 + 3 * image, 18 + 3 * image) for image in IMAGES]
ABSENT = range(24, 27)  # what an image has found in its barrier, of its own
DEAD, WORDS = 27, 28


class Program:
    """One image's instructions. Each does at most one access to shared memory, and gives (next instruction, word, value), or
    None while it waits. `outcome` of an image is the instruction at which it ends."""

    def __init__(self, image, remembers_range):
        self.image, self.remembers_range = image, remembers_range
        self.code = []
        failures = []
        count = 0
        for steps in COLLECTIVES:
            failures.append((self.collective(count, steps), count + steps))
            count += steps
        self.ends = {self.recover(count): "all"}
        for number, (jumps, after) in enumerate(failures):
            begin = len(self.code)
            self.ends[self.recover(after)] = f"without {number}"
            for at in jumps:
                self.code[at] = self.code[at](begin)

    def add(self, make):
        """`make` gets the number of the next instruction."""
        self.code.append(make(len(self.code) + 1))

    def write(self, word, value):
        self.add(lambda then: lambda state: (then, word, value))

    def wait(self, ready):
        self.add(lambda then: lambda state: (then, None, None) if ready(state) else None)

    def missing(self, state, other):
        return state[KNOWN[self.image]] >> other & 1

    def test(self, condition, jumps):
        """Jumps where the condition holds, to a place that is known later."""
        then = len(self.code) + 1
        jumps.append(len(self.code))
        self.code.append(lambda place: lambda state: (place if condition(state) else then, None, None))

    def go(self, jumps):
        self.test(lambda state: True, jumps)

    def land(self, jumps):
        for at in jumps:
            self.code[at] = self.code[at](len(self.code))

    def await_entry(self, other, count):
        self.wait(lambda state: state[ENTERED[other]] >= count or self.missing(state, other))

    def collective(self, before, steps):
        """Returns the jumps that are taken where it failed."""
        end = before + steps
        places = [[] for _ in range(steps + 1)]  # where it is abandoned: so many steps are entered
        self.test(lambda state: state[KNOWN[self.image]], places[0])
        for step in range(1, steps + 1):
            count = before + step
            self.write(ENTERED[self.image], count)
            for other in OTHERS[self.image]:
                self.await_entry(other, count)
                self.test(lambda state, other=other, count=count: state[ENTERED[other]] < count, places[step])
                self.skip_test(other, count, places[step])
            self.write(LEFT[self.image], count)
        done, failed = [], []
        self.go(done)
        for step, jumps in enumerate(places):
            self.land(jumps)
            self.abandon(before + step, end)
            self.go(failed)
        self.land(done)
        return failed

    def skip_test(self, other, count, jumps):
        if not self.remembers_range:
            return self.test(lambda state: state[LAST_SKIPPED[other]] >= count, jumps)
        no = []
        self.test(lambda state: state[LAST_SKIPPED[other]] < count, no)
        self.test(lambda state: state[FIRST_SKIPPED[other]] <= count, jumps)
        self.land(no)

    def abandon(self, entered, end):
        self.pass_on()
        if self.remembers_range:
            self.write(FIRST_SKIPPED[self.image], entered + 1)
        self.write(LAST_SKIPPED[self.image], end)
        self.write(ENTERED[self.image], end)
        self.write(LEFT[self.image], end)
        self.wait(lambda state: state[KNOWN[self.image]])
        for other in OTHERS[self.image] if self.remembers_range else []:
            self.wait(lambda state, other=other: state[LEFT[other]] >= end or self.missing(state, other))

    def pass_on(self):
        for other in OTHERS[self.image]:
            self.add(
                lambda then, other=other: lambda state: (then, KNOWN[other], state[KNOWN[other]] | state[KNOWN[self.image]])
            )

    def recover(self, before):
        """A barrier. Returns the instruction after it, and after what it found."""
        count = before + 1
        each = []
        self.write(ENTERED[self.image], count)
        for distance in (1, 2):
            source = (self.image - distance) % 3
            self.write(SIGNALLED[(self.image + distance) % 3][self.image], count)
            self.wait(lambda state, source=source: state[SIGNALLED[self.image][source]] >= count or state[KNOWN[self.image]])
            self.test(lambda state, source=source: state[SIGNALLED[self.image][source]] < count, each)
        self.test(lambda state: state[KNOWN[self.image]], each)
        done = []
        self.go(done)
        self.land(each)
        for other in OTHERS[self.image]:
            self.await_entry(other, count)
            self.add(
                lambda then, other=other: lambda state: (
                    then,
                    ABSENT[self.image],
                    max(state[ABSENT[self.image]], int(state[ENTERED[other]] < count)),
                )
            )
        self.pass_on()
        self.land(done)
        self.code.append(lambda state: None)
        return len(self.code) - 1


def successors(programs, places, words):
    for image in IMAGES:
        if places[image] is None:
            continue
        move = programs[image].code[places[image]](words)
        if move is not None:
            then, word, value = move
            after = words if word is None or words[word] == value else (*words[:word], value, *words[word + 1 :])
            yield (*places[:image], then, *places[image + 1 :]), after
        ended = places[image] in programs[image].ends
        dead = words[DEAD]
        if dead and not ended and not words[KNOWN[image]]:  # it looks at the others' processes
            yield places, (*words[: KNOWN[image]], dead, *words[KNOWN[image] + 1 :])
        if not dead and not ended:
            yield (*places[:image], None, *places[image + 1 :]), (*words[:DEAD], 1 << image)


def endings(remembers_range):
    """What the survivors find, in each state in which nobody goes on; None for one that waits for ever."""
    programs = [Program(image, remembers_range) for image in IMAGES]
    start = ((0, 0, 0), (0,) * WORDS)
    seen, open_states, found = {start}, [start], set()
    while open_states:
        places, words = open_states.pop()
        last = True
        for state in successors(programs, places, words):
            last = False
            if state not in seen:
                seen.add(state)
                open_states.append(state)
        if last:
            alive = [image for image in IMAGES if places[image] is not None]
            found.add(tuple((programs[image].ends.get(places[image]), words[ABSENT[image]]) for image in alive))
    return found


def test_all_survivors_find_the_same():
    found = endings(remembers_range=True)
    assert all(len(set(outcomes)) == 1 and outcomes[0][0] is not None for outcomes in found), found
    assert {outcomes[0] for outcomes in found} >= {("all", 0), ("all", 1), ("without 0", 1), ("without 1", 1)}


def test_a_last_skipped_step_alone_is_not_enough():
    """An image that goes on to the next collective, and leaves that, must not be taken for one that left this one."""
    assert any(len(set(outcomes)) > 1 for outcomes in endings(remembers_range=False))


if __name__ == "__main__":
    pytest.main([__file__])
