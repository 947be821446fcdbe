#!/usr/bin/env python3
"""Pythons with the packages that the checks and the wheel need: each list of Scripts/requirements has one, made when first asked for.

    Scripts/python_packages.py [LIST]       prints the path of the interpreter; the list is `checks` by default
"""
import fcntl
import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTS = ROOT / "Scripts/requirements"
ENVIRONMENTS = ROOT / ".build/python"


def interpreter(name="checks"):
    """The interpreter that has the packages of this list. Checks run side by side: one installs, the others wait."""
    packages = LISTS / f"{name}.txt"
    environment = ENVIRONMENTS / name
    python = environment / "bin/python3"
    installed = environment / "installed"
    digest = hashlib.sha256(packages.read_bytes()).hexdigest()
    ENVIRONMENTS.mkdir(parents=True, exist_ok=True)
    with (ENVIRONMENTS / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not installed.exists() or installed.read_text() != digest:
            subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", packages], check=True)
            installed.write_text(digest)
    return python


if __name__ == "__main__":
    print(interpreter(*sys.argv[1:2]))
