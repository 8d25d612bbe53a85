"""Random programs of coarrays: phases in which images put, get and use elements, each followed by a synchronisation of all. A
right program has in a phase only uses that do not meet; without one of its synchronisations two phases are one."""

import itertools
import random

ELEMENTS = 12
SYNCHRONISATIONS = ("xmp_sync_all(&status);", "#pragma xmp barrier")


class Use:
    """What every image does: with `element` of its own block (distance 0), or of that of the image `distance` after it."""

    def __init__(self, draw, element, distance, writes):
        self.element, self.distance, self.writes = element, distance, writes
        target = f"a[{element}]" + (f":[(me + {distance}) % images]" if distance else "")
        self.text = f"{target} = {draw.randint(1, 99)};" if writes else f"sum += {target};"

    def meets(self, other):
        """Whether two images use the same element, one of them to write: each use is made by all images at once."""
        return self.element == other.element and self.distance != other.distance and (self.writes or other.writes)


class PhasedCase:
    def __init__(self, seed, number):
        draw = random.Random(f"phases {seed} {number}")
        self.number, self.phases = number, []
        for _ in range(draw.randint(2, 5)):
            phase = []
            for _ in range(draw.randint(2, 6)):
                use = Use(draw, draw.randrange(ELEMENTS), draw.choice((0, 0, 1, 2)), draw.random() < 0.5)
                if not any(use.meets(other) for other in phase):
                    phase.append(use)
            self.phases.append(phase)
        self.synchronisations = [draw.choice(SYNCHRONISATIONS) for _ in self.phases]

    def lines(self, without=None):
        """without: the number of the synchronisation that is left out. Also (line, Use) of what is in each phase."""
        lines = [
            f"static void case{self.number}(void) {{",
            "    const int me = xmpc_all_node_num(), images = xmp_all_num_nodes();",
        ]
        lines.append("    int sum = 0, status = 0;")
        places = []
        for k, phase in enumerate(self.phases):
            places.append([])
            for use in phase:
                lines.append(f"    {use.text}")
                places[-1].append((len(lines) - 1, use))
            if k != without:
                lines.append(f"    {self.synchronisations[k]}")
        return [*lines, '    if (sum + status == -1) printf("never\\n");', "}"], places

    def mistakes(self):
        """The synchronisations without which two images race."""
        for k, (phase, following) in enumerate(zip(self.phases, self.phases[1:])):
            if any(one.meets(other) for one in phase for other in following):
                yield k

    def findings(self, without, first):
        """Pairs of lines of which one may be told."""
        _, places = self.lines(without)
        pairs = itertools.product(places[without], places[without + 1])
        return {frozenset((first + a, first + b)) for (a, one), (b, other) in pairs if one.meets(other)}


def program_of(cases):
    """(text, first line of each) of (PhasedCase, the synchronisation that is left out or None)."""
    lines, first = ["#include <stdio.h>", "#include <stdlib.h>", "#include <xmp.h>", f"int a[{ELEMENTS}]:[*];"], []
    for number, (case, without) in enumerate(cases):
        case.number = number
        first.append(len(lines) + 1)
        lines += case.lines(without)[0]
    lines += ["int main(int argc, char **argv) {", "    switch (argc > 1 ? atoi(argv[1]) : -1) {"]
    lines += [f"    case {k}: case{k}(); break;" for k in range(len(cases))]
    lines += ["    default:", *(f"        case{k}();" for k in range(len(cases)))]
    return "\n".join([*lines, "    }", "    return 0;", "}", ""]), first
