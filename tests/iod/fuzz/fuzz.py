#!/usr/bin/env python3
"""Fuzzing of what reads the bytes of other machines, by libFuzzer: the messages and layouts, the service's side of a
connection, a rank's, a relay between them; and of what says where those are (hosts.toml, metafiles, names). Needs clang
(Debian: clang).

    tests/iod/fuzz/fuzz.py --seconds 600 --corpus /var/tmp/fuzz              all targets, 10 minutes each
    tests/iod/fuzz/fuzz.py --seconds 600 --corpus /var/tmp/fuzz server       one

What a target reaches is kept below the corpus, where the next run goes on; an input that breaks something lies there, too
(crash-..., timeout-..., oom-...), and `build/tests/iod/fuzz/fuzz_server INPUT` repeats it.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
TARGETS = ("messages", "server", "client", "relay", "way")
# Leaks are found by targets_test.cpp. libFuzzer looks for them after each input where threads are, and takes 20 times as long.
LIMITS = ("-max_len=4096", "-timeout=100", "-rss_limit_mb=3000", "-print_final_stats=1", "-detect_leaks=0")
BROKEN = ("crash-*", "timeout-*", "oom-*", "leak-*")


def fuzz(target, build, corpus, seconds):
    """Executions, edges of the program that were taken, and the inputs that broke something."""
    kept = corpus / target
    kept.mkdir(parents=True, exist_ok=True)
    words = [
        build / "tests/iod/fuzz" / f"fuzz_{target}",
        *LIMITS,
        f"-max_total_time={seconds}",
        f"-artifact_prefix={corpus}/{target}-",
    ]
    done = subprocess.run([*words, kept], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    (corpus / f"{target}.log").write_text(done.stdout)
    executions = re.findall(r"stat::number_of_executed_units:\s*(\d+)|^#(\d+)\s", done.stdout, re.MULTILINE)
    edges = re.findall(r"cov: (\d+)", done.stdout)
    broken = [path.name for kind in BROKEN for path in sorted(corpus.glob(f"{target}-{kind}"))]
    if done.returncode != 0 and not broken:
        broken = [f"exit code {done.returncode}, see {target}.log"]
    count = max((int(one or other) for one, other in executions), default=0)
    return count, int(edges[-1]) if edges else 0, broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="target", help=f"of {', '.join(TARGETS)} (default: all)")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: %(default)s)")
    parser.add_argument("--corpus", type=Path, default="/tmp/kumihimo-fuzz", metavar="DIRECTORY", help="(default: %(default)s)")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("KUMIHIMO_BUILD", REPOSITORY / "build")))
    options = parser.parse_args()
    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    subprocess.run(["cmake", "--build", options.build, "--target", "iod_fuzzers"], check=True, stdout=sys.stderr)
    wrong = False
    for target in options.targets or TARGETS:
        executions, edges, broken = fuzz(target, options.build.resolve(), options.corpus.resolve(), options.seconds)
        print(f"{target}: {executions} executions, {edges} edges, {', '.join(broken) or 'nothing'} broken", flush=True)
        wrong = wrong or bool(broken)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
