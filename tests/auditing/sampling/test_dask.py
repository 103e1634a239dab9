"""Audits and evidence on a real Dask cluster of two worker processes on this machine, one of which is killed."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from nrverify import audit, cluster
from nrverify.cli import cli
from nrverify.cluster import NoCluster, connected
from nrverify.reference.mutants import BENIGN, textbook, textbook_wrong

ROOT = Path(__file__).parents[3]
RIGHT = "python:tests/auditing/subjects.py:Right"
CAUCHY_SUBJECTS = """
import numpy as np


class Right:
    mechanism = "cauchy"

    def sample(self, value, schedule, sessions, seed):
        rng, times = np.random.default_rng(seed), sorted(set(schedule))
        steps = np.diff([0.0, *times])
        noise = np.cumsum(steps[:, None, None] * rng.standard_cauchy((len(times), sessions, len(value))), axis=0)
        return value + np.stack([noise[times.index(t)] for t in schedule], axis=1)


class Fresh(Right):
    def sample(self, value, schedule, sessions, seed):
        rng, times = np.random.default_rng(seed), sorted(set(schedule))
        noise = np.array(times)[:, None, None] * rng.standard_cauchy((len(times), sessions, len(value)))
        return value + np.stack([noise[times.index(t)] for t in schedule], axis=1)
"""
MARK = "NRVERIFY_TEST_CLUSTER"
"""An environment variable that everything started by a cluster of these tests has."""
LINE = re.compile(r"Scheduler at:\s+(tcp://\S+)")


@dataclass
class Machines:
    """A scheduler and its workers: the first under a nanny, as a daemon; the second alone."""

    scheduler: str
    processes: list


def started(arguments, log):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", MARK: str(log.parent)}
    with log.open("wb") as stream:
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]],
            stdout=stream,
            stderr=stream,
            stdin=subprocess.DEVNULL,
            env=environment,
            cwd=log.parent,
        )


def awaited(condition, log, process=None):
    """What the condition comes to, once it is anything."""
    until = time.monotonic() + 120
    while time.monotonic() < until and (process is None or process.poll() is None):
        if found := condition():
            return found
        time.sleep(0.1)
    pytest.fail(f"the cluster did not come up: {log.read_text()[-2000:]}")


def worker(machines, folder, *options):
    name = f"worker-{len(machines.processes)}"
    arguments = ("dask_worker", machines.scheduler, "--nthreads", "1", "--no-dashboard", "--name", name, *options)
    process = started((*arguments, "--local-directory", str(folder)), folder / f"{name}.log")
    machines.processes.append(process)
    return process


@pytest.fixture
def machines(tmp_path):
    log = tmp_path / "scheduler.log"
    scheduler = started(("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"), log)
    found = Machines("", [scheduler])
    try:
        found.scheduler = awaited(lambda: (line := LINE.search(log.read_text())) and line[1], log, scheduler)
        worker(found, tmp_path)
        worker(found, tmp_path, "--no-nanny")
        awaited(lambda: log.read_text().count("Register worker") >= 2, log)
        yield found
    finally:
        for process in reversed(found.processes):
            process.send_signal(signal.SIGINT)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def document(subject, **options):
    found = audit(subject, **options).document()
    for name in ("seconds", "subject_seconds"):
        found["run"].pop(name)
    return found


def subjects_of(cluster_folder):
    """Processes that serve a subject for the workers of that cluster."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line, environment = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue
        if b"nrverify.subjects.python.interpreter" in line and f"{MARK}={cluster_folder}\0".encode() in environment:
            found.append(folder.name)
    return found


def test_a_cluster_reports_what_one_process_does_also_when_a_worker_is_killed(machines, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    killed = []

    def kill(drawn, samples):
        if drawn > 1500 and not killed:
            assert len(subjects_of(tmp_path)) == 2
            killed.append(machines.processes[2].pid)
            os.kill(killed[0], signal.SIGKILL)

    there = document(RIGHT, samples=5_000, engine="dask", scheduler=machines.scheduler, progress=kill)
    assert killed
    assert machines.processes[2].wait(timeout=20) == -signal.SIGKILL
    assert there == document(RIGHT, samples=5_000)
    assert there["verdict"] == "consistent"
    awaited(lambda: not subjects_of(tmp_path), Path(os.devnull))


def test_objects_thresholds_and_private_stopping_go_to_a_cluster_too(machines, monkeypatch):
    monkeypatch.chdir(ROOT)
    named = {variant.name: variant.subject for variant in BENIGN}
    for name, samples in (("reduced-threshold-lazy", 1000), ("stopping", 400), ("epsilon-laplace", 500)):
        there = document(named[name], samples=samples, engine="dask", scheduler=machines.scheduler, jobs=2)
        assert there == document(named[name], samples=samples)

    missing = audit("python:gone.py:Right", engine="dask", scheduler=machines.scheduler)
    assert (missing.exit_code, "no file" in missing.message) == (3, True)
    arguments = ["P01", "P12", "--kind", "derivation", "--kind", "reading", "--json", "-"]
    runs = [
        CliRunner().invoke(cli, ["verify", *arguments, *engine])
        for engine in (["--jobs", "1"], ["--engine", "dask", "--scheduler", machines.scheduler, "--jobs", "1"])
    ]
    here, on_cluster = (json.loads(run.stdout) for run in runs)
    for ledger in (here, on_cluster):
        for claim in ledger["claims"]:
            for evidence in claim["evidence"]:
                evidence.pop("seconds")
    assert here == on_cluster
    assert here["claims"]

    for process in machines.processes[1:]:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
    with pytest.raises(NoCluster, match="has no workers"), connected(machines.scheduler):
        pass


def test_what_is_learned_of_any_mechanism_is_learned_on_a_cluster_too(machines, monkeypatch):
    monkeypatch.chdir(ROOT)
    verdicts = {textbook.GeometricCount: "consistent", textbook_wrong.NoisyMaxHalved: "refuted"}
    for subject, verdict in verdicts.items():
        there = document(subject, samples=4_000, alpha=0.01, engine="dask", scheduler=machines.scheduler, jobs=2)
        assert there == document(subject, samples=4_000, alpha=0.01)
        assert there["privacy"] == verdict


def test_a_law_of_ones_own_reaches_the_workers_from_its_address_and_judges_as_here(machines, monkeypatch, tmp_path):
    example = (ROOT / "docs" / "LAWS.md").read_text().partition("```python\n")[2].partition("```")[0]
    (tmp_path / "cauchy_law.py").write_text(example)
    (tmp_path / "cauchy_subject.py").write_text(CAUCHY_SUBJECTS)
    monkeypatch.chdir(tmp_path)
    cluster_of = {"engine": "dask", "scheduler": machines.scheduler}
    for name, samples, verdict in (("Right", 1500, "consistent"), ("Fresh", 1500, "refuted")):
        subject, law = f"python:cauchy_subject.py:{name}", "python:cauchy_law.py:Cauchy"
        there = document(subject, law=law, samples=samples, **cluster_of)
        assert there["verdict"] == verdict, there["message"]
        assert there == document(subject, law=law, samples=samples)
    # The file is edited between two audits: the workers judge by what it is now.
    (tmp_path / "cauchy_law.py").write_text(example.replace("return Scaled(t)", "return Scaled(2 * t)"))
    with pytest.raises(ValueError, match="is not one"):
        audit("python:cauchy_subject.py:Right", law=law, samples=300, **cluster_of)
    (tmp_path / "cauchy_law.py").write_text(example + "\n# another file\n")
    assert document("python:cauchy_subject.py:Fresh", law=law, samples=1500, **cluster_of)["verdict"] == "refuted"


def test_a_law_that_is_an_object_does_not_reach_a_cluster():
    class Law:
        name = "mine"

        def marginal(self, t):
            return None

    with pytest.raises(ValueError, match=r"from its own address: give law as text such as 'python:FILE\.py:Law'"):
        audit(RIGHT, law=Law(), engine="dask", scheduler="tcp://127.0.0.1:9")


@pytest.mark.parametrize("command", [["audit", RIGHT, "--samples", "100"], ["verify", "P01"]])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"], "no Dask scheduler answers at 'tcp://127.0.0.1:9'"),
        (["--engine", "dask", "--scheduler", "here"], "no Dask scheduler answers at 'here'"),
        (["--engine", "dask"], "--engine dask needs --scheduler"),
        (["--scheduler", "tcp://127.0.0.1:9"], "--scheduler goes with --engine dask"),
    ],
)
def test_a_cluster_that_is_not_there_is_a_mistake_in_the_command(command, options, words, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(cluster, "CONNECTING", 0.5)
    result = CliRunner().invoke(cli, [*command, *options])
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


def test_without_the_extra_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(cli, ["audit", RIGHT, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"])
    assert result.exit_code == 2
    assert "pip install nrverify[dask]" in " ".join(result.stderr.split())


def test_records_are_judged_on_this_machine():
    with pytest.raises(ValueError, match="leave out --engine dask"):
        audit("records:file.npz", engine="dask", scheduler="tcp://127.0.0.1:9")


@pytest.mark.parametrize("command", [["verify", "--kind", "statistic"], ["audit", RIGHT, "--samples", "1000000"]])
@pytest.mark.parametrize("lost", ["workers", "scheduler"])
def test_a_cluster_that_is_lost_on_the_way_ends_the_command_in_words(command, lost, machines, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(cluster, "ABANDONED", 2.0)
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    machines.processes[1].send_signal(signal.SIGINT)  # a nanny would start its worker again
    machines.processes[1].wait(timeout=60)
    dying = machines.processes[0 if lost == "scheduler" else 2]

    class Doomed(cluster.Cluster):
        """It is lost two seconds after it was connected to."""

        def __init__(self, *connected):
            super().__init__(*connected)
            threading.Timer(2.0, dying.kill).start()

    monkeypatch.setattr(cluster, "Cluster", Doomed)
    result = CliRunner().invoke(cli, [*command, "--engine", "dask", "--scheduler", machines.scheduler])
    assert dying.wait(timeout=60) == -signal.SIGKILL
    assert result.exit_code == 3, result.output
    words = " ".join(result.stderr.split())
    assert "the Dask cluster at" in words
    assert "Usage" not in words
