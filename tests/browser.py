"""Headless Chromium, driven over its debugging pipe."""

import fcntl
import json
import os
import shutil
import subprocess
import time
from contextlib import contextmanager

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)


class Tab:
    """Tab of a browser.

    Attributes
    ----------
    problems : list of str
        Errors and warnings of the console, exceptions, and refused requests.
    """

    def __init__(self, commands, messages):
        self._commands, self._messages, self._n = commands, messages, 0
        self.problems, self._session = [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """Send a command; return its result."""
        self._n += 1
        command = {"id": self._n, "method": method, "params": params}
        if self._session:
            command["sessionId"] = self._session
        self._commands.write(json.dumps(command).encode() + b"\0")
        self._commands.flush()
        while True:
            found = json.loads(self._next())
            if found.get("id") == self._n:
                assert "error" not in found, found
                return found["result"]
            if found["method"] in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.problems.append(json.dumps(found["params"]))

    def _next(self):
        message = bytearray()
        while (byte := self._messages.read(1)) != b"\0":
            assert byte, "the browser has ended"
            message += byte
        return message

    def open(self, url, width=1440, dark=False):
        """Open an address in a window of this width."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script):
        """Return the value of an expression, or of its promise."""
        found = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, script, seconds=60):
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.run(script):
            assert time.monotonic() < end, script
            time.sleep(0.05)


@contextmanager
def browser(profile):
    """Start a browser; yield a tab."""
    # Chromium reads commands from descriptor 3 and writes messages to descriptor 4.
    (child_in, parent_out), (parent_in, child_out) = os.pipe(), os.pipe()
    inherited = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (child_in, child_out)]

    def place():
        os.dup2(inherited[0], 3)
        os.dup2(inherited[1], 4)

    process = subprocess.Popen(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
         "--remote-debugging-pipe", f"--user-data-dir={profile}"],
        preexec_fn=place, pass_fds=(3, 4, *inherited),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    for fd in (child_in, child_out, *inherited):
        os.close(fd)
    with open(parent_out, "wb") as commands, open(parent_in, "rb") as messages:
        try:
            yield Tab(commands, messages)
        finally:
            process.kill()
            process.wait()
