"""Runs fio and qd1 in turn and prints how they compare; see compare-fio.sh."""

import json
import math
import os
import random
import statistics
import subprocess
import sys

ROUNDS = int(os.environ.get("ROUNDS", "5"))
SECONDS = os.environ.get("RUN_SECONDS", "3")
WARMUP = os.environ.get("WARMUP", "1")
SIZE_MIB = os.environ["SIZE_MIB"]
QD1 = os.environ["QD1"]

PSYNC = ["--ioengine=psync"]
PLAIN = ["--ioengine=io_uring"]
FIXED = PLAIN + ["--fixedbufs=1", "--registerfiles=1"]

# A latency is not above another if it is in the same bin of fio's histogram,
# which are up to 1.6 % wide.
BIN = 0.016

ALL_QD1 = {"p50": 1.0, "p99": 1.0, "user": 0.7}


def row(name, engine, against, op="read", pattern="random", block=4096, depth=1, workers=1, disk=None, **limits):
    """One comparison. Limits are ratios qd1/fio: iops at least, others at most.
    disk is the limit of iops on disk where it differs: with many requests in
    flight the disk is what limits both."""
    workload = dict(op=op, pattern=pattern, block=block, depth=depth, workers=workers)
    return dict(name=name, engine=engine, against=against, workload=workload, limits=limits, disk=disk)


ROWS = [
    row("qd1-psync", "psync", ("psync", PSYNC), iops=1.0, **ALL_QD1),
    row("qd1-uring", "uring", ("io_uring", PLAIN), iops=1.05, **ALL_QD1),
    row("qd32-fixed", "uring", ("io_uring fixed", FIXED), depth=32, iops=1.05, disk=0.95),
    row("qd32-plain", "uring", ("io_uring", PLAIN), depth=32, iops=1.3, disk=0.95),
    row("qd128", "uring", ("io_uring fixed", FIXED), depth=128, iops=1.0, disk=0.95),
    row("two-workers", "uring", ("io_uring fixed", FIXED), depth=32, workers=2, iops=1.0, disk=0.95),
    row("sequential", "uring", ("io_uring", PLAIN), pattern="sequential", block=131072, depth=8, iops=1.0),
    row("write-qd1", "psync", ("psync", PSYNC), op="write", iops=1.0),
    row("write-qd32", "uring", ("io_uring", PLAIN), op="write", depth=32, iops=1.0),
    row("write-sequential", "uring", ("io_uring", PLAIN), op="write", pattern="sequential", block=131072, depth=8, iops=1.0),
]

MEASURES = [("iops", "IOPS"), ("p50", "p50 µs"), ("p99", "p99 µs"), ("user", "user µs/op")]


def cpus(workers):
    """The CPUs that qd1 pins its workers to: the highest-numbered."""
    have = sorted(os.sched_getaffinity(0), reverse=True)
    return [have[i % len(have)] for i in range(workers)]


def output(argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("compare-fio: error: exit status %d of %s" % (done.returncode, " ".join(argv)))
    return done.stdout


def run_fio(options, w, path):
    """What fio measures; latencies from submission to completion, as qd1's."""
    rw = {"random": "rand", "sequential": ""}[w["pattern"]] + w["op"]
    if os.path.isdir(path):
        path = os.path.join(path, "fio.data")
    argv = ["fio", "--name=compare", "--filename=" + path, "--direct=1", "--rw=" + rw, "--norandommap",
            "--randrepeat=0", "--bs=%d" % w["block"], "--iodepth=%d" % w["depth"], "--numjobs=%d" % w["workers"],
            "--group_reporting", "--cpus_allowed=" + ",".join(map(str, cpus(w["workers"]))),
            "--cpus_allowed_policy=split", "--time_based", "--runtime=" + SECONDS, "--ramp_time=" + WARMUP,
            "--lat_percentiles=1", "--clat_percentiles=0", "--output-format=json"] + options
    if w["op"] == "read":
        argv.append("--readonly")
    else:
        argv += ["--size=%sMiB" % SIZE_MIB, "--overwrite=1"]
    job = json.loads(output(argv))["jobs"][0]
    r, p = job[w["op"]], job[w["op"]]["lat_ns"]["percentile"]
    user = job["usr_cpu"] / 100 * job["job_runtime"] * 1000 / r["total_ios"]
    return dict(iops=r["iops"], p50=p["50.000000"] / 1000, p99=p["99.000000"] / 1000, user=user)


def run_qd1(engine, w, path):
    argv = [QD1, "bench", path, "--format", "json", "--engine", engine, "--op", w["op"], "--pattern", w["pattern"],
            "--bs", "%dKiB" % (w["block"] // 1024), "--qd", str(w["depth"]), "--workers", str(w["workers"]),
            "--seconds", SECONDS, "--warmup", WARMUP]
    if os.path.isdir(path):
        argv += ["--size", SIZE_MIB + "MiB"]
    r = json.loads(output(argv))["results"][0]
    if r["cpu"] != cpus(1)[0]:
        sys.exit("compare-fio: error: qd1 ran on CPU %s, fio on %s" % (r["cpu"], cpus(1)[0]))
    if r["partial"] or r["errors"] or w["op"] == "read" and r["blank_percent"] > 1:
        sys.exit("compare-fio: error: unusable run: %s, %s errors, %s %% blank" % (r["ended"], r["errors"], r["blank_percent"]))
    if r["latency_us"]["p99"] is None:
        sys.exit("compare-fio: error: only %s operations; the machine is busy" % r["operations"])
    return dict(iops=r["iops"], p50=r["latency_us"]["p50"], p99=r["latency_us"]["p99"], user=r["user_us_per_op"])


def chosen(path):
    """The rows for a target: those that write for a directory, those that read
    for the others."""
    names = [n for n in os.environ.get("ROWS", "").split(",") if n]
    unknown = set(names) - {r["name"] for r in ROWS}
    if unknown:
        sys.exit("compare-fio: error: ROWS: no row %s; there are %s" % (", ".join(sorted(unknown)), ", ".join(r["name"] for r in ROWS)))
    op = "write" if os.path.isdir(path) else "read"
    return [r for r in ROWS if r["workload"]["op"] == op and (not names or r["name"] in names)]


def runs_of(rows, path):
    """The different runs that the rows need: key and function."""
    runs = {}
    for r in rows:
        w, (label, options) = r["workload"], r["against"]
        shape = tuple(sorted(w.items()))
        runs["fio", label, shape] = lambda o=options, w=w: run_fio(o, w, path)
        runs["qd1", r["engine"], shape] = lambda e=r["engine"], w=w: run_qd1(e, w, path)
    return runs


def measure(rows, path):
    """Runs everything in rounds of random order."""
    runs = runs_of(rows, path)
    figures = {key: [] for key in runs}
    for number in range(ROUNDS):
        print("compare-fio: %s: round %d of %d" % (path, number + 1, ROUNDS), file=sys.stderr)
        for key in random.sample(list(runs), len(runs)):
            figures[key].append(runs[key]())
    return figures


def quotient(a, b):
    """a/b; a processor time may be below what the kernel counts."""
    return a / b if b else math.nan


def line(r, name, label, fio, qd1, limit):
    """One line of the table, and whether the limit holds."""
    each = sorted(quotient(q, f) for f, q in zip(fio, qd1))
    f, q = statistics.median(fio), statistics.median(qd1)
    ratio, verdict, required = quotient(q, f), "", ""
    if limit is not None:
        ok = ratio >= limit if name == "iops" else ratio <= limit + (BIN if name != "user" else 0)
        required, verdict = "%s %.2f" % ("≥" if name == "iops" else "≤", limit), "met" if ok else "SHORT"
    print("%-17s %-15s %-11s %10.1f %10.1f  %6.3f  %6.3f - %6.3f  %-7s %s"
          % (r["name"], r["against"][0], label, f, q, ratio, each[0], each[-1], required, verdict))
    return verdict != "SHORT"


def is_disk(path):
    """Whether what is behind path is not memory: neither a loop device nor a
    file system on one."""
    st = os.stat(path)
    number = st.st_rdev or st.st_dev
    return not os.path.realpath("/sys/dev/block/%d:%d" % (os.major(number), os.minor(number))).startswith("/sys/devices/virtual/block/loop")


def table(rows, path, figures):
    print("\n%s (%s)" % (path, "disk" if is_disk(path) else "memory"))
    print("%-17s %-15s %-11s %10s %10s  %6s  %-15s  %s" % ("row", "fio engine", "", "fio", "qd1", "ratio", "per round", "required"))
    short = 0
    for r in rows:
        shape = tuple(sorted(r["workload"].items()))
        fio, qd1 = figures["fio", r["against"][0], shape], figures["qd1", r["engine"], shape]
        for name, label in MEASURES:
            limit = r["limits"].get(name)
            if name == "iops" and r["disk"] and is_disk(path):
                limit = r["disk"]
            short += not line(r, name, label, [x[name] for x in fio], [x[name] for x in qd1], limit)
    return short


def series(path, figures):
    """Appends the figures of every run to the file that SERIES names."""
    if not os.environ.get("SERIES"):
        return
    with open(os.environ["SERIES"], "a") as out:
        for (tool, engine, shape), values in figures.items():
            for number, v in enumerate(values):
                print(path, tool, engine, *(x for _, x in shape), number + 1, v["iops"], v["p50"], v["p99"], v["user"], sep=",", file=out)


def main():
    print("ratio: qd1/fio of the medians of %d rounds of %s s after %s s; CPU %s" % (ROUNDS, SECONDS, WARMUP, cpus(1)[0]))
    print("latency: from submission to completion; the same bin of fio's histogram (%.1f %%) counts as equal" % (100 * BIN))
    short = 0
    for path in sys.argv[1:]:
        rows = chosen(path)
        if rows:
            figures = measure(rows, path)
            series(path, figures)
            short += table(rows, path, figures)
    print("\n%s" % ("every requirement is met" if not short else "%d requirements are not met" % short))


main()
