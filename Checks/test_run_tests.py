"""Scripts/run-tests names tests that trap or hang, and runs all others.

Against a `swift` that plays tests in the same way as SwiftPM and Swift Testing run them, because a package with such tests would take a
minute to build.
"""
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import eventually
from workplace import ROOT

SWIFT = '''#!{python}
"""Plays `swift test`: the plan in PLAY says what each test does."""
import json, os, re, signal, subprocess, sys, time

words = sys.argv[1:]
assert words.pop(0) == "test", words
folder = os.path.dirname(os.path.abspath(__file__))
with open(f"{{folder}}/calls", "a") as calls:
    calls.write(json.dumps(words) + "\\n")

def values(option):
    return [words[index + 1] for index, word in enumerate(words) if word == option]

plan, filters = json.load(open(f"{{folder}}/plan")), values("--filter")
if "build" in plan:
    print("Sources/A.swift:3:1: error: cannot find 'x' in scope")
    sys.exit(1)
tests = {{test: does for test, does in plan.items() if not filters or any(re.search(word, test) for word in filters)}}

def play():
    """The test process: up to WIDTH tests run at once, and end in the order of their starts."""
    os.setpgid(0, 0)
    events = open(values("--event-stream-output-path")[0], "w")
    def tell(kind, test=None, line="", **more):
        if line:
            print(line, flush=True)
        # Without test and place, in contrast to the console.
        text = line[2:].partition(".swift:7:5: ")[2] or line[2:]
        payload = {{"kind": kind, "messages": [{{"symbol": "", "text": text}}] if line else [], **more}}
        print(json.dumps({{"version": 0, "kind": "event", "payload": payload | ({{"testID": test}} if test else {{}})}}), file=events, flush=True)
    def short(test):
        return test.split("/")[-2]
    suites = sorted({{test.rsplit("/", 2)[0] for test in tests}})
    for test in [*suites, *tests]:
        kind = "suite" if test in suites else "function"
        record = {{"kind": "test", "payload": {{"kind": kind, "id": test, "name": test, "isParameterized": False}}}}
        print(json.dumps(record), file=events, flush=True)
    tell("runStarted", line="◇ Test run started.")
    for suite in suites:
        tell("testStarted", suite)
    is_serial = "--no-parallel" in words
    width = 1 if is_serial else int(os.environ["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"])
    if not is_serial:
        for test in tests:
            tell("testStarted", test, f"◇ Test {{short(test)}} started.")
    failed, running = 0, []
    def end(test):
        if tests[test] == "skip":
            return
        word = "✘ Test {{}} failed" if tests[test] == "fail" else "✔ Test {{}} passed"
        tell("testEnded", test, word.format(short(test)) + " after 0.001 seconds.")
    for test, does in tests.items():
        if is_serial:
            tell("testStarted", test, f"◇ Test {{short(test)}} started.")
        running.append(test)
        if does == "fail":
            failed += 1
            tell("issueRecorded", test, f"✘ Test {{short(test)}} recorded an issue at F.swift:7:5: Expectation failed: 1 == 2",
                 issue={{"isKnown": False}})
        elif does == "skip":
            tell("testSkipped", test, f"➜ Test {{short(test)}} skipped.")
        elif does == "trap" or does == "trap among others" and len(tests) > 1:
            print(f"M/F.swift:12: Fatal error: {{short(test)}} went too far", flush=True)
            os.kill(os.getpid(), signal.SIGILL)
        elif does == "trap deep":
            print("Swift/Array.swift:5: Fatal error: Index out of range\\n\\n*** Program crashed: Illegal instruction at 0x7f ***\\n", flush=True)
            print(f"Thread 2:\\n\\n  0 waits() + 3 in tests at {{folder}}/Tests/W.swift:9:1\\n", flush=True)
            print("Thread 3 \\"oot.default-qos\\" crashed:\\n\\n  0 fail() + 62 in libswiftCore.so", flush=True)
            print(f"  1 $s in tests at /tmp/macro.swift:7\\n  2 at(_:) + 1 in tests at {{folder}}/Tests/F.swift:12:9", flush=True)
            os.kill(os.getpid(), signal.SIGILL)
        elif does == "end swift":
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(600)
        elif does == "exit":
            os._exit(3)
        elif does in ("hang", "overdue"):
            if does == "overdue":
                tell("issueRecorded", test, f"✘ Test {{short(test)}} recorded an issue at F.swift:7:5: Time limit was exceeded: 60.000 seconds",
                     issue={{"isKnown": False}})
            # In a session of its own, like a server that a test starts.
            other = subprocess.Popen(["sleep", "600"], start_new_session=True)
            with open(f"{{folder}}/processes", "a") as processes:
                processes.write(f"{{os.getpid()}} {{other.pid}}\\n")
            if list(tests).index(test) == len(tests) - 1 or does == "overdue":
                for other in running[:-1]:
                    end(other)
            time.sleep(600)
        if len(running) == width:
            end(running.pop(0))
    for test in running:
        end(test)
    word = f"✘ Test run with {{len(tests)}} tests in {{len(suites)}} suites failed" if failed else f"✔ Test run with {{len(tests)}} tests in 1 suite passed"
    tell("runEnded", line=f"{{word}} after 0.01 seconds.")
    os._exit(1 if failed else 0)

process = os.fork()
if not process:
    play()
_, status = os.waitpid(process, 0)
if os.WIFSIGNALED(status):
    print(f"error: Process '/build/tests.xctest' exited with unexpected signal code {{os.WTERMSIG(status)}}")
sys.exit(1 if status else 0)
'''


class Swift:
    """A folder with a `swift` that plays a plan: what each test does, by the name of the test."""

    def __init__(self, folder, plan):
        self.folder = folder
        self.tests = {name: f"M.S/{name}/F.swift:{line}:3" for line, name in enumerate(plan, 3)}
        (folder / "plan").write_text(json.dumps({self.tests[name]: does for name, does in plan.items()}))
        (folder / "swift").write_text(SWIFT.format(python=sys.executable))
        (folder / "swift").chmod(0o755)

    def start(self, *words):
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "3"}
        return subprocess.Popen(
            [ROOT / "Scripts/run-tests", *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    def run(self, *words, status):
        process = self.start(*words)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == status, output
        assert not self.processes(), "nothing goes on"
        return output

    def calls(self):
        """The arguments of each `swift test`, without the events."""
        calls = [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]
        for call in calls:
            place = call.index("--event-stream-output-path")
            del call[place:place + 2]
        return calls

    def processes(self):
        """The processes of tests that hang, as long as they run."""
        noted = self.folder / "processes"
        found = noted.read_text().split() if noted.exists() else []
        return [number for number in found if is_running(number)]


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def swift(folder, request):
    def make(**plan):
        own = folder / request.node.name
        own.mkdir()
        return Swift(own, {f"{name}()": does for name, does in plan.items()})
    return make


def verdicts(output):
    """The tests after "traps and hangs:", each with the reason."""
    found = output.partition("run-tests: traps and hangs:\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^✘ Test (.+?) failed: (.*)$", found, re.M))


def counted(output):
    """The sum of all closing lines, as Scripts/release-check adds them."""
    return sum(map(int, re.findall(r"Test run with (\d+) tests? in \d+ suites?", output)))


def total(output):
    return output.splitlines()[-1]


def test_all_pass(swift):
    played = swift(a="pass", b="pass", c="skip")
    output = played.run("--skip-build", "--scratch-path", ".build/tests", "-Xswiftc", "-num-threads", status=0)
    assert played.calls() == [["--skip-build", "--scratch-path", ".build/tests", "-Xswiftc", "-num-threads"]]
    assert counted(output) == 3 and total(output) == "run-tests: 3 tests: 2 passed, 1 skipped"
    assert "failures" not in output and "◇ Test a() started." in output


def test_failures_are_repeated(swift):
    played = swift(a="pass", b="fail", c="pass")
    output = played.run(status=1)
    issue = "✘ Test b() recorded an issue at F.swift:7:5: Expectation failed: 1 == 2\n"
    assert output.count(issue) == 2 and output.partition("run-tests: failures:\n")[2].startswith(issue)
    assert total(output) == "run-tests: 3 tests: 2 passed, 1 failed" and len(played.calls()) == 1


def test_errors_of_the_build_are_repeated(folder):
    (folder / "build").mkdir()
    played = Swift(folder / "build", {})
    (played.folder / "plan").write_text('{"build": "fails"}')
    output = played.run(status=1)
    assert output.count("error: cannot find 'x' in scope") == 2 and len(played.calls()) == 1


def test_traps_have_names_and_the_rest_runs(swift):
    """Two tests trap, each as one of three that run, among tests that pass or fail; names have characters of expressions."""
    plan = {"a": "pass", "b": "pass", "c": "trap", "d": "pass", "e": "fail", "f": "pass", "g": "pass", "h": "trap", "i": "pass"}
    played = swift(**plan)
    played.tests |= {name: f"M.`S (1)`/{name}/F.swift:3:3" for name in ("`odd [a|b]* $`(of:)", "`odd`(of:)")}
    content = json.loads((played.folder / "plan").read_text())
    (played.folder / "plan").write_text(json.dumps({**content, **{played.tests[name]: "pass" for name in list(played.tests)[-2:]}}))
    output = played.run("-c", "release", "--filter", r"^M\.", status=1)
    assert verdicts(output) == {
        f"M.S/{name}()": f"signal 4 (SIGILL): M/F.swift:12: Fatal error: {name}() went too far" for name in ("c", "h")
    }
    assert total(output) == "run-tests: 11 tests: 8 passed, 1 failed, 2 trapped" and counted(output) == 11
    assert "these tests may have been running: M.S/a(), M.S/b(), M.S/c()\n" in output
    first, *alone = played.calls()
    assert first == ["-c", "release", "--filter", r"^M\."]
    # Three alone, the rest, two or three alone, the rest.
    assert all(call[:3] == ["-c", "release", "--skip-build"] and r"^M\." not in call for call in alone)
    assert [sum(bool(re.search(call[-1], test)) for test in played.tests.values()) for call in alone[:4]] == [1, 1, 1, 8]
    # Each test has one result.
    assert all(output.count(f"Test {name} passed") == 1 for name in ("a()", "b()", "g()", "i()", "`odd`(of:)"))


def test_a_trap_that_needs_others(swift):
    """It has no name among three tests, so the others run one at a time, and the next has one."""
    output = swift(a="pass", b="trap among others", c="pass", d="trap among others", e="pass").run(status=1)
    for name, running in ("b", "M.S/a(), M.S/b(), M.S/c()"), ("d", "M.S/d()"):
        cause = f"signal 4 (SIGILL): M/F.swift:12: Fatal error: {name}() went too far"
        assert f"✘ Test process failed: {cause}; running: {running}; none traps alone\n" in output
    assert "the run goes on with 2 tests, one at a time\n" in output
    assert total(output) == "run-tests: 5 tests: 5 passed" and counted(output) == 5


def test_a_trap_in_the_standard_library(swift):
    """The crash report has the line of the test."""
    output = swift(a="pass", b="trap deep").run(status=1)
    assert verdicts(output) == {"M.S/b()": "signal 4 (SIGILL): Swift/Array.swift:5: Fatal error: Index out of range (Tests/F.swift:12)"}


def test_many_failures(swift):
    """There is room for some issues and for the names of all tests."""
    output = swift(**{f"t{number}": "fail" for number in range(70)}).run(status=1)
    repeated = output.partition("run-tests: failures:\n")[2].splitlines()
    assert len(repeated) == 63 and repeated[60].startswith("… and 10 issues more; failed: M.S/t0(), ") and "M.S/t69()" in repeated[60]


def test_a_test_that_exits(swift):
    output = swift(a="pass", b="exit", c="pass").run(status=1)
    assert verdicts(output) == {"M.S/b()": "the process exited in the middle of a test"}
    assert total(output) == "run-tests: 3 tests: 2 passed, 1 trapped"


def test_swift_is_ended(swift):
    output = swift(a="pass", b="end swift").run(status=1)
    assert verdicts(output) == {"M.S/b()": "signal 9 ended `swift test`"}


def test_the_last_test_hangs(swift):
    """It needs no other run, because nothing else is left."""
    played = swift(a="pass", b="pass", c="hang")
    output = played.run("--stall", "0.02", status=1)
    assert verdicts(output) == {"M.S/c()": "no end within 0.02 minutes"} and len(played.calls()) == 1
    assert total(output) == "run-tests: 3 tests: 2 passed, 1 hung" and counted(output) == 3


def test_a_hang_keeps_others_waiting(swift):
    played = swift(a="pass", b="hang", c="pass", d="fail", e="trap")
    output = played.run("--stall=0.03", status=1)
    assert verdicts(output) == {
        "M.S/b()": "no end within 0.01 minutes", "M.S/e()": "signal 4 (SIGILL): M/F.swift:12: Fatal error: e() went too far"
    }
    assert total(output) == "run-tests: 5 tests: 2 passed, 1 failed, 1 trapped, 1 hung" and counted(output) == 5


def test_a_hang_after_its_time_limit(swift):
    """The time limit names it, so it does not hang once more alone."""
    played = swift(a="pass", b="overdue", c="pass", d="pass")
    output = played.run("--stall", "0.02", status=1)
    assert verdicts(output) == {"M.S/b()": "no end within 0.02 minutes"} and len(played.calls()) == 2
    assert output.count("Time limit was exceeded") == 2 and total(output) == "run-tests: 4 tests: 3 passed, 1 hung"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_everything(swift, number):
    played = swift(a="pass", b="fail", c="hang")
    process = played.start()
    eventually(played.processes, "the test hangs")
    process.send_signal(number)
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 128 + number and not played.processes()
    # The failure of b() may be on its way still.
    assert re.search(rf"^run-tests: ended by {number.name}\nrun-tests: these tests may have been running: .*M\.S/c\(\)$", output, re.M)
    assert total(output).endswith(" not run") and "run-tests: failures:\n✘ Test b() recorded" in output


def test_wrong_option(swift):
    assert "--stall is a number of minutes" in swift(a="pass").run("--stall", "soon", status=1)
