"""GASNet-EX between hosts: the contract of transports, where this build found it, and in the long form that of coarrays above
them. (The others are CTest's: CMakeLists.txt.)"""

import pytest
from long_form import LONG_FORM

ROOMS = ["transport/transport_test", "localview/localview"] if LONG_FORM else ["transport/transport_test"]
CONDUITS = ["mpi"]  # udp starts its processes itself, the others need their hardware


def missing(build, family, conduit):
    """Why there is no such module; nothing if there is."""
    libraries = build / "lib" / family
    if not libraries.exists():
        return f"this build has no MPI family {family}"
    if (libraries / f"kumihimo_transport_gasnet-{conduit}.so").exists():
        return None
    reasons = dict(line.split("\t") for line in (libraries / "transports.txt").read_text().splitlines())
    return reasons.get("gasnet", f"GASNet-EX was built without the conduit {conduit}")


@pytest.mark.parametrize("family", ["openmpi", "mpich"])
@pytest.mark.parametrize("conduit", CONDUITS)
@pytest.mark.parametrize("room", ROOMS)
def test_gasnet_between_hosts(hosts, build, family, conduit, room):
    if reason := missing(build, family, conduit):
        pytest.skip(reason)
    program = build / "tests" / "runtime" / f"{room}_{family}"
    # GASNet reaches no memory but its segment: no parts of global arrays, and no blocks of GiB.
    words = [
        "env",
        f"KUMIHIMO_TRANSPORT=gasnet-{conduit}",
        "GTEST_FILTER=-GmoveInOut.*:Transfer.PlacesFarApart:Transfer.LargeOnes",
        program,
    ]
    done = hosts([2, 2]).mpiexec(family, *words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
