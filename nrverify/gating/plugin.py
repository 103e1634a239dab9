"""The pytest plugin: loaded by every pytest run, so it imports nothing heavy.

It collects gates (`test_noise_reduction = nrverify.gate(MyBrownian())`), one test item for each check of the subject;
and evidence: a suite's module, given to pytest, yields one test item for each piece of evidence.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nrverify.closest import closest
from nrverify.gating.items import SUBJECT, GateItem, GateRun, without_warnings
from nrverify.report.atomic_write import refusal
from nrverify.report.audit.formats import DOCUMENTS

if TYPE_CHECKING:
    from nrverify.gating.declare import Gate

RUN = pytest.StashKey[GateRun]()
SHARED = "nrverify"
"""What a controller of pytest-xdist tells its workers: the folder they share, where reports go, and the seed."""


class EvidenceItem(pytest.Item):
    """One piece of evidence as a test: it passes when it is accepted and rejects every wrong variant."""

    def __init__(self, *, evidence: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.evidence = evidence

    def runtest(self) -> None:
        """Runs the evidence at the quick profile."""
        from nrverify.ledger.runner import PROFILES, run_evidence

        result = run_evidence(self.evidence, PROFILES["quick"], seed=0)
        if result.failed:
            pytest.fail(f"{result.name}: {result.message}", pytrace=False)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where the evidence is, and its name."""
        return self.path, None, self.evidence.name


class Summary:
    """What the gates of a run came to, gathered from the reports of their items, also those of other processes."""

    def __init__(self) -> None:
        self.gates: dict[str, tuple[str, list[str]]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes in an item's report."""
        lines = [str(value) for key, value in report.user_properties if key == "nrverify"]
        if lines:
            notes = [str(value) for key, value in report.user_properties if key == "nrverify-note"]
            self.gates.setdefault(report.nodeid.rpartition("[")[0], (lines[0], notes))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """A line for each gate, and what its audit advises or does not cover."""
        if self.gates:
            terminalreporter.section("nrverify")
        for name, (line, notes) in self.gates.items():
            terminalreporter.line(f"{name}: {line}")
            for note in notes:
                terminalreporter.line(f"  {note}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of a run, over what the gates of the test files say."""
    group = parser.getgroup("nrverify", "gates of nrverify")
    group.addoption("--nrverify-seed", metavar="N", help="Seed of every gate's audit, or 'random'.")
    group.addoption("--nrverify-alpha", type=float, metavar="P", help="False-alarm probability of a gate's audit.")
    group.addoption("--nrverify-samples", type=int, metavar="N", help="Sessions or runs of a gate's audit in all.")
    for name, document in DOCUMENTS.items():
        words = f"{document.help} With several gates, each one's name goes before the suffix."
        group.addoption(f"--nrverify-{name}", metavar="FILE", help=words)


def pytest_configure(config: pytest.Config) -> None:
    """Checks the options before any work, and what a worker was told by its controller."""
    if not config.pluginmanager.hasplugin("xdist"):
        config.addinivalue_line("markers", "xdist_group(name): tests that pytest-xdist runs in one worker")
    told = getattr(config, "workerinput", {}).get(SHARED)
    alpha, samples = config.getoption("--nrverify-alpha"), config.getoption("--nrverify-samples")
    if told is not None:
        config.stash[RUN] = GateRun(alpha, samples, told["seed"], told["files"], Path(told["folder"]))
        return
    seed = _seed(config.getoption("--nrverify-seed"))
    _check_settings(alpha, samples, seed)
    config.stash[RUN] = GateRun(alpha, samples, seed, _files(config), None)
    config.pluginmanager.register(Summary(), "nrverify-summary")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Removes the folder that the workers shared."""
    run = config.stash.get(RUN, None)
    if run is not None and run.folder is not None and not hasattr(config, "workerinput"):
        shutil.rmtree(run.folder, ignore_errors=True)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Gives a worker of pytest-xdist a folder it shares with the others, so that a gate is audited once."""
    run = node.config.stash[RUN]
    if run.folder is None:
        run.folder = Path(tempfile.mkdtemp(prefix="nrverify-"))
    node.workerinput[SHARED] = {"folder": str(run.folder), "files": run.files, "seed": run.seed}


def pytest_report_header(config: pytest.Config) -> str | None:
    """What the command line says over the gates."""
    options = config.stash[RUN].options()
    return f"nrverify:{options}" if options else None


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> Any:
    """A gate becomes one item for each check, evidence one item."""
    kind = (type(obj).__module__, type(obj).__name__)
    if kind == ("nrverify.gating.declare", "Gate"):
        return _gate_items(collector, name, obj)
    if kind == ("nrverify.ledger.evidence", "Evidence"):
        return EvidenceItem.from_parent(collector, name=name, evidence=obj)
    return None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Several gates need a report file each."""
    names = {item.gate_name for item in session.items if isinstance(item, GateItem)}
    session.config.stash[RUN].several = len(names) > 1


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """The header of the gates: subject, seed and alpha of each."""
    gates = {item.gate_name: item.gate for item in items if isinstance(item, GateItem)}
    run = config.stash[RUN]
    return [f"nrverify: {name}: {_words(run.settled(gate))}" for name, gate in gates.items()]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A skipped check is reported at the line of its gate, not inside the plugin."""
    outcome: Any = yield
    report = outcome.get_result()
    if isinstance(item, GateItem) and report.skipped and isinstance(report.longrepr, tuple):
        report.longrepr = (str(item.path), item.gate.line, report.longrepr[2])


def _gate_items(collector: Any, name: str, gate: Any) -> list[GateItem]:
    from nrverify.auditing.check_ids import asked_of
    from nrverify.subjects.errors import SubjectFailed

    run = collector.config.stash[RUN]
    trouble: str | None = None
    try:
        with without_warnings():
            checks = asked_of(gate.subject, gate.settings.timeout, gate.law)
    except (SubjectFailed, ValueError) as failure:
        checks, trouble = (SUBJECT,), f"the subject could not be run: {failure}"
    if trouble is None:
        _check_expected(collector, name, gate, checks)
    shared = {"gate": gate, "run": run, "checks": checks, "trouble": trouble}
    return [GateItem.from_parent(collector, name=f"{name}[{check}]", check=check, **shared) for check in checks]


def _check_expected(collector: Any, name: str, gate: Gate, checks: tuple[str, ...]) -> None:
    for check in gate.expected_failures:
        if check not in checks:
            close = closest(check, checks)
            hint = f"did you mean {close!r}?" if close else f"it is asked {', '.join(checks)}"
            raise collector.CollectError(f"{name}: expected_failures names {check!r}, no check of this subject; {hint}")


def _seed(text: str | None) -> int | None:
    """The seed asked for; one drawn for 'random'."""
    if text == "random":
        return secrets.randbelow(2**32)
    if text is None:
        return None
    from nrverify.auditing.core.settings import seed_from

    try:
        return seed_from(text)
    except ValueError as error:
        raise pytest.UsageError(f"--nrverify-seed {error}") from None


def _check_settings(alpha: float | None, samples: int | None, seed: int | None) -> None:
    from nrverify.auditing.core.settings import Settings
    from nrverify.gating.declare import overridden

    try:
        overridden(Settings(), alpha, samples, seed)
    except ValueError as error:
        raise pytest.UsageError(f"--nrverify-{error}") from None


def _files(config: pytest.Config) -> dict[str, str]:
    """Where reports are to go, refused before any work where they could not be written."""
    files: dict[str, str] = {}
    for kind in DOCUMENTS:
        name = config.getoption(f"--nrverify-{kind}")
        if name is not None:
            path = str(config.invocation_params.dir / name)
            if (why := refusal(path)) is not None:
                raise pytest.UsageError(f"--nrverify-{kind}: {why}")
            if path in files.values():
                raise pytest.UsageError(f"--nrverify-{kind}: two reports cannot be written to one file, {name!r}")
            files[kind] = path
    return files


def _words(gate: Gate) -> str:
    subject = gate.subject
    named = subject if isinstance(subject, type) or hasattr(subject, "__name__") else type(subject)
    name = subject if isinstance(subject, str) else named.__name__
    return f"{name}, seed {gate.settings.seed}, alpha {gate.settings.alpha:g}, at most {gate.settings.samples} samples"
