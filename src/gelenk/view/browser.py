"""A browser without a screen, that opens one page and takes pictures of it.

Chromium is started with a profile of its own that is thrown away, listens on the loopback alone for what to do, and
ends with the context.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from gelenk.errors import InputError

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--remote-debugging-port=0", "--no-first-run", "--no-default-browser-check", "--hide-scrollbars",
    "--mute-audio", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb",
)  # fmt: skip
PATIENCE = 60.0  # pictures are computed, and machines differ [s]


def find_browser() -> str | None:
    """Where a browser is that can be started without a screen."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page of a given size.

    Parameters
    ----------
    program : which browser
    size : width and height of the page [pixels]
    dark : whether the page is to be dark
    """

    def __init__(self, program: str, size: tuple[int, int], *, dark: bool = False) -> None:
        self._program, self._size, self._dark = program, size, dark
        self._open = ExitStack()
        self._count = 0
        self._page: str | None = None

    def __enter__(self) -> Browser:
        try:
            self._start()
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def _start(self) -> None:
        from websockets.sync.client import connect

        folder = tempfile.TemporaryDirectory(prefix="gelenk-browser-", ignore_cleanup_errors=True)
        profile = Path(self._open.enter_context(folder))
        root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # which it refuses otherwise
        command = [self._program, *FLAGS, *root, f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._open.callback(_end, process)
        self._socket = self._open.enter_context(
            connect(_address(profile, process), proxy=None, max_size=None, compression=None)
        )
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._page = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        width, height = self._size
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if self._dark else "light"}
        self._ask("Emulation.setEmulatedMedia", features=[scheme])

    def _ask(self, method: str, **parameters: Any) -> Any:
        """Tell the browser something, and wait for its answer."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._page is not None:
            message["sessionId"] = self._page
        self._socket.send(json.dumps(message))
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise InputError(
                        "browser", f"{method}: {answer['error']}"[:200], "an answer", "Try another browser."
                    )
                return answer["result"]
        raise TimeoutError(method)

    def open(self, address: str) -> None:
        """Open a page."""
        self._ask("Page.navigate", url=address)

    def value(self, expression: str) -> Any:
        """What an expression gives in the page; promises are waited for."""
        result = self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return result["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until a condition holds in the page."""
        end = time.monotonic() + PATIENCE
        while self.value(condition) is not True:
            if time.monotonic() > end:
                found = f"the page did not come to {condition}"
                raise InputError(
                    "browser", found[:200], "a page that draws", "Try again, or without a browser (--rays)."
                )
            time.sleep(0.03)

    def picture(self) -> bytes:
        """The page now, as PNG."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
        return base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"])


def _address(profile: Path, process: subprocess.Popen[bytes]) -> str:
    """Where the browser listens, as soon as it says so."""
    said = profile / "DevToolsActivePort"
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        lines = said.read_text().split() if said.exists() else []
        if len(lines) == 2:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        time.sleep(0.03)
    raise InputError("browser", "it did not start", "a browser that starts without a screen", "Use --rays.")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
