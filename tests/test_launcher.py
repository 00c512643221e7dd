"""The launcher's shell logic, with stand-ins for Python, pip and uv: no network, no waiting."""

import importlib.metadata
import os
import re
import runpy
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent

# The only real programs on the PATH of these tests, so that no real Python or uv is found.
TOOLS = (
    "cat chmod cksum cp dirname env id kill ln mkdir mv printf pwd readlink rm rmdir sh sleep "
    "touch tr"
)

# Stands in for Python: passes the version test unless $OLD, makes environments holding itself,
# and "installs" with pip by writing the program. Each call is a line in $LOG.
FAKE_PYTHON = r"""#!/bin/sh
case "$1 $2" in
    --version*) echo "Python ${OLD:-3.11.7}" ;;
    "-c "*) [ -z "${OLD-}" ] ;;
    *"/.ci/locked.py "*) echo "$2" ;;
    "-m venv")
        echo "venv" >>"$LOG"
        mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
        ;;
    "-m pip")
        [ "$3" = install ] || exit 0
        for last; do :; done
        if [ -f "$last" ]; then
            # what is read from a file has hashes, and is built by what was read before
            case " $* " in *" --require-hashes "*) ;; *) exit 9 ;; esac
            read -r wanted <"$last"
            [ "$wanted" = build ] || case " $* " in *" --no-build-isolation "*) ;; *) exit 9 ;; esac
            echo "pip $wanted" >>"$LOG"
            exit 0
        fi
        # and for the project itself nothing is left to fetch
        case " $* " in *" --no-deps --no-build-isolation -e "*) ;; *) exit 9 ;; esac
        echo "pip project" >>"$LOG"
        sleep "${PIP_TAKES:-0}"
        until [ -e "${PIP_WAITS:-$0}" ]; do sleep 0.05; done
        [ -z "${PIP_FAILS-}" ] || { echo "ERROR: no route" >&2; exit 1; }
        printf '%s\n' '#!/bin/sh' 'echo "ran:$(pwd)"' 'for a; do echo "arg:$a"; done' \
            >"${0%/*}/kibitz"
        chmod +x "${0%/*}/kibitz"
        ;;
esac
"""


class Checkout:
    """A copy of the launcher and what it reads, in a directory with a space in its name."""

    def __init__(self, base: Path) -> None:
        self.root = base / "a check out"
        (self.root / ".ci").mkdir(parents=True)
        for name in (
            "kibitz",
            "pyproject.toml",
            "requirements.lock",
            ".ci/checks.sh",
            ".ci/locked.py",
        ):
            shutil.copy2(ROOT / name, self.root / name)
        self.venv = self.root / ".venv"
        self.lock = self.root / ".venv.lock"
        self.bin = base / "bin"
        self.bin.mkdir()
        for tool in TOOLS.split():
            if found := shutil.which(tool):
                (self.bin / tool).symlink_to(found)
        self.add_tool("python3", FAKE_PYTHON)
        # Waiting for a lock goes in steps of one second: shorten them.
        (self.bin / "real-sleep").symlink_to((self.bin / "sleep").readlink())
        (self.bin / "sleep").unlink()
        self.add_tool("sleep", '#!/bin/sh\n[ "$1" != 1 ] || set -- 0.2\nexec real-sleep "$1"\n')
        self.log = base / "log"

    def add_tool(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def start(
        self, *args: str, program: Path | str | None = None, cwd: Path | None = None, **env: str
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(program or self.root / "kibitz"), *args],
            cwd=cwd or self.root,
            env={"PATH": str(self.bin), "LOG": str(self.log), **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(
        self, *args: str, program: Path | str | None = None, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        process = self.start(*args, program=program, cwd=cwd, **env)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def take_log(self) -> list[str]:
        """What was installed since the last look."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines


def installed(extras: str = "") -> list[str]:
    """What is logged when these are installed."""
    return ["pip build", f"pip base,{extras}".rstrip(","), "pip project"]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.mark.parametrize("script", ["kibitz", ".ci/checks.sh", ".ci/lock.sh"])
def test_is_valid_shell(script: str) -> None:
    subprocess.run(["sh", "-n", str(ROOT / script)], check=True)


@pytest.mark.parametrize("script", ["kibitz", ".ci/run"])
def test_is_executable(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)


def test_first_call_installs_and_later_calls_start_at_once(checkout: Checkout) -> None:
    first = checkout.run("play", "two words", "")
    assert (first.returncode, checkout.take_log()) == (0, ["venv", *installed()])
    assert first.stderr == "Setting up Kibitz (once, about a minute) ...\n"
    assert first.stdout == f"ran:{checkout.root}\narg:play\narg:two words\narg:\n"

    second = checkout.run("play")
    assert (second.returncode, second.stderr, checkout.take_log()) == (0, "", [])


def test_a_right_stamp_needs_no_python(checkout: Checkout) -> None:
    checkout.run()
    (checkout.bin / "python3").unlink()
    assert checkout.run().returncode == 0


def test_runs_from_elsewhere_and_through_links(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run()
    checkout.take_log()
    elsewhere = tmp_path / "some where"
    elsewhere.mkdir()
    (elsewhere / "absolute link").symlink_to(checkout.root / "kibitz")
    (elsewhere / "relative link").symlink_to("../a check out/kibitz")
    (elsewhere / "link to link").symlink_to("relative link")
    for program in (
        checkout.root / "kibitz",
        "../a check out/kibitz",
        "./absolute link",
        elsewhere / "relative link",
        "./link to link",
    ):
        result = checkout.run("x", program=program, cwd=elsewhere)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout == f"ran:{elsewhere}\narg:x\n"  # the caller's directory is kept
    assert checkout.take_log() == []


@pytest.mark.parametrize("version", ["3.10.13", "3.14.0"])
def test_unsuitable_python(checkout: Checkout, version: str) -> None:
    result = checkout.run(OLD=version)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == (
        f"kibitz: Python 3.11, 3.12 or 3.13 is needed, but there is Python {version} here.\n"
    )
    assert not checkout.venv.exists()
    assert not checkout.lock.exists()


def test_no_python_at_all(checkout: Checkout) -> None:
    (checkout.bin / "python3").unlink()
    result = checkout.run()
    assert result.returncode == 2
    assert "but there is no python3 here" in result.stderr


def test_finds_a_newer_python_by_its_full_name(checkout: Checkout) -> None:
    checkout.add_tool("python3.12", FAKE_PYTHON)
    checkout.add_tool("python3.13", "#!/bin/sh\nexit 127\n")  # a shim for nothing
    checkout.add_tool("python3", "#!/bin/sh\nexit 1\n")
    assert checkout.run().returncode == 0
    assert checkout.take_log() == ["venv", *installed()]


def test_changed_requirements_are_installed(checkout: Checkout) -> None:
    checkout.run()
    checkout.take_log()
    with (checkout.root / "requirements.lock").open("a") as file:
        file.write("# changed\n")
    result = checkout.run()
    assert result.stderr.startswith("Updating Kibitz")
    assert checkout.take_log() == installed()
    assert checkout.run().stderr == ""


def test_a_moved_checkout_is_set_up_anew(checkout: Checkout) -> None:
    checkout.run()
    checkout.take_log()
    checkout.root = checkout.root.rename(checkout.root.with_name("moved"))
    assert checkout.run().returncode == 0
    assert checkout.take_log() == ["venv", *installed()]


def test_peers_are_installed_for_the_comparison_only(checkout: Checkout) -> None:
    checkout.run("bench")
    checkout.run("play", "--peers")
    assert checkout.take_log() == ["venv", *installed()]
    for _ in range(2):
        result = checkout.run("bench", "uno", "--peers")
        assert result.stdout.endswith("arg:bench\narg:uno\narg:--peers\n")
    assert checkout.take_log() == installed("peers")


@pytest.mark.parametrize("command", ["simulate", "match", "ladder"])
@pytest.mark.parametrize(
    "players",
    [["-p", "rule,openspiel:bot=cpp,ms=5,rule"], ["--players=rlcard,rule"], ["rule, rlcard"]],
)
def test_peers_are_installed_for_their_players(
    checkout: Checkout, command: str, players: list[str]
) -> None:
    checkout.run(command, "uno", "--save", "openspiel.jsonl")
    checkout.run("play", *players)
    assert checkout.take_log() == ["venv", *installed()]
    for _ in range(2):
        assert checkout.run(command, "uno", *players).returncode == 0
    assert checkout.take_log() == installed("peers")


@pytest.mark.parametrize("engine", [["--engine", "ray"], ["--engine=ray"]])
def test_extras_add_up(checkout: Checkout, engine: list[str]) -> None:
    checkout.run("ladder", "uno", "ray", "--engine", "local")
    assert checkout.take_log() == ["venv", *installed()]
    checkout.run("ladder", "uno", "rlcard", *engine, "--plot", "ladder.png")
    assert checkout.take_log() == installed("peers,cluster,plot")


@pytest.mark.parametrize("command", ["belief", "calibrate"])
@pytest.mark.parametrize("option", [["--plot", "x.png"], ["--plot=x.png"]])
def test_what_draws_is_installed_for_pictures_only(
    checkout: Checkout, command: str, option: list[str]
) -> None:
    checkout.run(command, "uno")
    checkout.run("play", *option)
    checkout.run("bench", *option)
    checkout.run(command, "--peers")
    assert checkout.take_log() == ["venv", *installed()]
    for _ in range(2):
        result = checkout.run(command, "uno", *option)
        assert result.stdout.endswith("".join(f"arg:{a}\n" for a in (command, "uno", *option)))
    assert checkout.take_log() == installed("plot")


def test_test_command(checkout: Checkout) -> None:
    """All checks run, the failed ones are named, and arguments go to pytest alone."""
    for tool in ("ruff", "mypy", "lint-imports", "pytest"):
        fails = "exit 1" if tool in ("mypy", "pytest") else "exit 0"
        checkout.add_tool(tool, f'#!/bin/sh\necho "{tool} $*"\n{fails}\n')
    result = checkout.run("test")
    assert checkout.take_log() == ["venv", *installed("test,peers,plot,cluster")]
    assert result.returncode == 1
    assert [line for line in result.stdout.splitlines() if line and line[0] != "="] == [
        "ruff check",
        "ruff format --check",
        "mypy ",
        "lint-imports ",
        "pytest -n 2",
        "Failed: mypy, pytest",
    ]
    assert checkout.run("test", "-k", "a b").stdout == "pytest -k a b\n"

    for tool in ("mypy", "pytest"):
        checkout.add_tool(tool, "#!/bin/sh\n")
    result = checkout.run("test")
    assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "All checks passed.")
    for arguments in (("bench", "--peers"), ("belief", "f", "--plot", "x.png")):
        assert checkout.run(*arguments).stderr == ""  # came with the tests
    assert checkout.take_log() == []


def test_failed_installation_is_told_and_tried_again(checkout: Checkout) -> None:
    result = checkout.run(PIP_FAILS="1")
    assert (result.returncode, result.stdout) == (1, "")
    assert "ERROR: no route\nkibitz: the installation failed" in result.stderr
    assert not checkout.lock.exists()
    checkout.take_log()
    assert checkout.run().returncode == 0
    assert checkout.take_log() == ["venv", *installed()]


def test_failed_extras_leave_the_base_usable(checkout: Checkout) -> None:
    checkout.run()
    assert checkout.run("bench", "--peers", PIP_FAILS="1").returncode == 1
    checkout.take_log()
    assert checkout.run(PIP_FAILS="1").returncode == 0
    assert checkout.take_log() == []


def wait_for_pip(checkout: Checkout) -> None:
    deadline = time.monotonic() + 120
    while not (checkout.log.exists() and "pip project" in checkout.log.read_text()):
        assert time.monotonic() < deadline, "pip was not called"
        time.sleep(0.01)


def test_interrupted_installation_is_redone(checkout: Checkout) -> None:
    """Killed at the worst moment: the lock stays behind, and so does half an environment."""
    go_on = checkout.log.with_name("go on")
    process = checkout.start(PIP_WAITS=str(go_on))
    wait_for_pip(checkout)
    process.kill()
    go_on.touch()
    process.communicate()
    assert checkout.lock.exists()
    checkout.take_log()

    result = checkout.run("x")
    assert result.returncode == 0
    assert result.stdout.endswith("arg:x\n")
    assert checkout.take_log() == ["venv", *installed()]
    assert not checkout.lock.exists()


def test_terminated_installation_releases_the_lock(checkout: Checkout) -> None:
    go_on = checkout.log.with_name("go on")
    process = checkout.start(PIP_WAITS=str(go_on))
    wait_for_pip(checkout)
    process.terminate()
    go_on.touch()
    process.communicate()
    assert process.returncode == 143
    assert not checkout.lock.exists()
    assert checkout.run().returncode == 0


def test_first_calls_at_once_install_once(checkout: Checkout) -> None:
    processes = [checkout.start("x", PIP_TAKES="0.5") for _ in range(4)]
    for process in processes:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        assert out.endswith("arg:x\n")
    assert checkout.take_log() == ["venv", *installed()]
    assert not checkout.lock.exists()


def test_calls_at_once_after_a_killed_one_install_once(checkout: Checkout) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    checkout.lock.mkdir()
    (checkout.lock / "pid").write_text(f"{dead.pid}\n")
    processes = [checkout.start(PIP_TAKES="0.5") for _ in range(4)]
    assert [process.wait(timeout=120) for process in processes] == [0] * 4
    for process in processes:
        process.communicate()
    assert checkout.take_log() == ["venv", *installed()]
    assert not checkout.lock.exists()


def test_a_lock_left_without_a_pid_is_taken(checkout: Checkout) -> None:
    checkout.lock.mkdir()
    assert checkout.run().returncode == 0
    assert not checkout.lock.exists()


def test_a_lock_of_a_live_process_is_waited_for(checkout: Checkout) -> None:
    checkout.lock.mkdir()
    (checkout.lock / "pid").write_text(f"{os.getpid()}\n")
    process = checkout.start()
    waiting = f"Waiting for another set-up of Kibitz (process {os.getpid()}) ...\n"
    assert process.stderr is not None
    assert process.stderr.readline() == waiting
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.5)
    shutil.rmtree(checkout.lock)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert waiting not in err


def test_uv_is_preferred(checkout: Checkout) -> None:
    checkout.add_tool(
        "uv",
        """#!/bin/sh
        for last; do :; done
        echo "uv $1 $last" >>"$LOG"
        case $1 in
            venv) mkdir -p "$last/bin" && cp "$(command -v python3)" "$last/bin/python" ;;
            pip) shift && exec .venv/bin/python -m pip "$@" ;;
        esac
        """,
    )
    assert checkout.run().returncode == 0
    build, needed, project = installed()
    assert checkout.take_log() == [
        f"uv venv {checkout.venv}",
        f"uv pip {checkout.venv}/.kibitz-build.txt", build,
        f"uv pip {checkout.venv}/.kibitz-needed.txt", needed,
        f"uv pip {checkout.root}", project,
    ]  # fmt: skip


def test_pip_steps_in_for_a_failing_uv(checkout: Checkout) -> None:
    checkout.add_tool("uv", "#!/bin/sh\necho 'uv: no route' >&2\nexit 2\n")
    result = checkout.run()
    assert result.returncode == 0
    assert "uv: no route\nuv could not do it; trying pip ...\n" in result.stderr
    assert checkout.take_log() == ["venv", *installed()]


# --- the lock ------------------------------------------------------------------------------------

LOCK = (ROOT / "requirements.lock").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = sorted(PROJECT["project"]["optional-dependencies"])
LOCKED = runpy.run_path(str(ROOT / ".ci" / "locked.py"))


def selected(*parts: str) -> set[str]:
    return {LOCKED["name_of"](lines[0]) for lines in LOCKED["select"](parts, PROJECT, LOCK)}


def test_everything_is_locked_with_hashes() -> None:
    entries = LOCKED["entries"](LOCK)
    assert {"numba", "hatchling", "setuptools", "ray"} <= {name for name, _, _ in entries}
    for name, (pin, *hashes), _ in entries:
        assert re.fullmatch(rf"{name}==[\w.]+( ; .+)? \\", pin), pin
        assert hashes
        for line in hashes:
            assert re.fullmatch(r" {4}--hash=sha256:[0-9a-f]{64}( \\)?", line), line


def test_the_lock_names_no_index_and_no_machine() -> None:
    assert "://" not in LOCK
    assert "-r " not in LOCK
    assert "index" not in LOCK


@pytest.mark.parametrize("part", ["build", "base", *EXTRAS])
def test_each_part_of_the_lock_is_whole(part: str) -> None:
    """By what the packages that are installed here say that they need."""
    names = selected("base", part) if part in EXTRAS else selected(part)
    checked = 0
    for name in names:
        try:
            needed = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:  # of another system or extra
            continue
        checked += 1
        for each in map(Requirement, needed):
            if each.marker is None or each.marker.evaluate({"extra": ""}):
                assert LOCKED["name_of"](each.name) in names, f"{name} needs {each}"
    assert checked >= 3 or part not in ("build", "base", "test")


def test_a_part_takes_no_more_than_it_needs() -> None:
    assert "numba" in selected("base")
    assert not {"pytest", "ray", "hatchling", "setuptools", "matplotlib"} & selected("base")
    assert {"hatchling", "setuptools"} <= selected("build")
    assert "numba" not in selected("build")
    assert "pytest" not in selected("base", "peers")
    assert selected("base", *EXTRAS) > selected("base")


def test_what_is_not_locked_is_an_error() -> None:
    project = {**PROJECT, "build-system": {"requires": ["nothing-of-the-kind>=1"]}}
    with pytest.raises(SystemExit, match="lacks nothing-of-the-kind"):
        LOCKED["select"](["build"], project, LOCK)


@pytest.mark.parametrize("part", ["base,test", "build"])
def test_what_is_selected_is_printed_as_pip_reads_it(part: str) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / ".ci" / "locked.py", part],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    entries = LOCKED["entries"](done.stdout)
    assert {name for name, _, _ in entries} == selected(*part.split(","))
    lines = [line.rstrip(" \\") for line in LOCK.splitlines()]
    assert all(line.rstrip(" \\") in lines for line in done.stdout.splitlines())
    assert done.stdout.count("--hash") == sum(len(hashes) for _, (_, *hashes), _ in entries)
    ends = [line for line in done.stdout.splitlines() if not line.endswith(" \\")]
    assert len(ends) == len(entries), "all lines of an entry but the last go on"


# --- programs for the tests ----------------------------------------------------------------------

FAKE_APT = """#!/bin/sh
echo "apt $*" >>"$LOG"
[ -z "${APT_FAILS-}" ]
"""


def apt_log(checkout: Checkout, **env: str) -> tuple[list[str], str]:
    result = checkout.run("test", "--version", **env)
    return [line for line in checkout.take_log() if line.startswith("apt")], result.stderr


def test_the_tests_get_a_browser_and_a_web_server(checkout: Checkout) -> None:
    checkout.add_tool("apt-get", FAKE_APT)
    checkout.add_tool("systemctl", '#!/bin/sh\necho "apt then systemctl $*" >>"$LOG"\n')
    (checkout.bin / "id").unlink(missing_ok=True)
    checkout.add_tool("id", "#!/bin/sh\necho ${USER_ID:-0}\n")
    launcher = checkout.root / "kibitz"
    launcher.write_text(launcher.read_text().replace("/usr/sbin/nginx", "/nowhere/nginx"))
    *_, asked, ended = apt_log(checkout)[0]
    assert "install" in asked
    assert asked.endswith("chromium fonts-dejavu-core nginx")
    assert ended == "apt then systemctl disable --quiet --now nginx"  # it serves nobody
    assert apt_log(checkout, USER_ID="1000")[0] == []  # who may not install does not try
    assert "could not be installed" in apt_log(checkout, APT_FAILS="yes")[1]
    checkout.add_tool("chromium", "#!/bin/sh\n")
    *_, asked, _ = apt_log(checkout)[0]
    assert "chromium" not in asked
    checkout.add_tool("nginx", "#!/bin/sh\n")
    assert apt_log(checkout)[0] == []


def test_other_commands_need_no_programs(checkout: Checkout) -> None:
    checkout.add_tool("apt-get", FAKE_APT)
    checkout.run("play")
    assert not any(line.startswith("apt") for line in checkout.take_log())
