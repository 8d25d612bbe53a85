"""The comparison of test programs by case: what differs, is missing or too many is told by its name."""

import pytest
from named_cases import assert_same_cases, differences, on_nodes

SERIAL = ["block, backwards: 107967 i=1", "cyclic: 5", "on t(i:j): 7"]
WRONG = {
    "a value": (
        ["block, backwards: 107966 i=1", "cyclic: 5", "on t(i:j): 7"],
        ["case 'block, backwards': serial '107967 i=1', on 7 nodes '107966 i=1'"],
    ),
    "two values": (
        ["block, backwards: 107967 i=1", "cyclic: 6", "on t(i:j): 8"],
        ["case 'cyclic': serial '5', on 7 nodes '6'", "case 'on t(i:j)': serial '7', on 7 nodes '8'"],
    ),
    "missing": (["block, backwards: 107967 i=1", "on t(i:j): 7"], ["case 'cyclic': serial '5', on 7 nodes missing"]),
    "more": ([*SERIAL, "gblock: 1"], ["case 'gblock': serial missing, on 7 nodes '1'"]),
    "twice": ([*SERIAL, "cyclic: 5"], ["case 'cyclic': serial '5', on 7 nodes '5', then '5'"]),
    "no name": ([*SERIAL, "107967"], ["case '107967': serial missing, on 7 nodes ''"]),
    "order": (
        [SERIAL[1], SERIAL[0], SERIAL[2]],
        [
            "the same cases in another order: serial block, backwards, cyclic, on t(i:j); "
            "on 7 nodes cyclic, block, backwards, on t(i:j)"
        ],
    ),
}


def test_same_cases():
    assert differences(SERIAL, SERIAL, on_nodes(7)) == []
    assert_same_cases(SERIAL, SERIAL, on_nodes(7))


@pytest.mark.parametrize("how", WRONG)
def test_every_difference_by_name(how):
    parallel, expected = WRONG[how]
    assert differences(SERIAL, parallel, on_nodes(7)) == expected
    with pytest.raises(AssertionError) as caught:
        assert_same_cases(SERIAL, parallel, on_nodes(7))
    assert expected[-1] in str(caught.value)
