"""The version is that of the program whose databases are read; everything else is in pyproject.toml."""

import pathlib
import re

from setuptools import setup

nocturne = pathlib.Path(__file__).resolve().parent.parent / "Sources/Model/Records/Nocturne.swift"
version = re.search(r'static let version = "([^"]+)"', nocturne.read_text())
if version is None:
    raise SystemExit(f"{nocturne} does not say the version")
setup(version=version[1])
