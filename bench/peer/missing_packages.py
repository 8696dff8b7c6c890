"""Prints the packages of requirements.txt that this Python lacks, one per line; nothing if the peer can run."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

for requirement in Path(__file__).with_name("requirements.txt").read_text(encoding="utf-8").splitlines():
    if requirement.startswith("#"):
        continue
    name, _, _ = requirement.partition("==")
    try:
        version(name)
    except PackageNotFoundError:
        print(name)
