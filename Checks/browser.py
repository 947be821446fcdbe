"""Chromium without a window, driven by its DevTools protocol through a pipe.

Messages are JSON ended by NUL; Chromium reads them from file descriptor 3 and answers on 4. So no library for WebSockets is
needed, and no port is open. `Page` has what tests of a page need: keys, clicks, pictures and what the console said.
"""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

KEYS = {
    "Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), "Tab": ("Tab", 9, ""), " ": ("Space", 32, " "),
    "ArrowDown": ("ArrowDown", 40, ""), "ArrowUp": ("ArrowUp", 38, ""), "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowRight": ("ArrowRight", 39, ""), "PageDown": ("PageDown", 34, ""), "PageUp": ("PageUp", 33, ""),
    "Home": ("Home", 36, ""), "End": ("End", 35, ""), "Backspace": ("Backspace", 8, ""), "/": ("Slash", 191, "/"),
}


class BrowserError(Exception):
    pass


class Browser:
    """A Chromium with an own, empty profile. Use it in a `with` statement."""

    def __init__(self, arguments=()):
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not program:
            raise BrowserError("Chromium is not installed; Scripts/setup test installs it.")
        self.profile = tempfile.mkdtemp(prefix="nocturne-browser-")
        # Ends above 9, so that making them 3 and 4 in the child overwrites neither.
        read_end, self.input = os.pipe()
        self.output, write_end = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (read_end, write_end)]
        os.close(read_end)
        os.close(write_end)
        command = [
            "bash", "-c", f'exec "$@" 3<&{ends[0]} 4>&{ends[1]}', "bash", program, "--headless=new", "--no-sandbox",
            "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-first-run", "--disable-gpu",
            "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--force-color-profile=srgb", "--font-render-hinting=none", *arguments,
        ]
        self.process = subprocess.Popen(command, pass_fds=ends, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in ends:
            os.close(end)
        self.buffer, self.number, self.events = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close", timeout=5)
        except (BrowserError, OSError):
            pass
        os.close(self.input)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.output)
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self, deadline):
        """One message; `None` at the deadline."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.output], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                return None
            data = os.read(self.output, 1 << 20)
            if not data:
                raise BrowserError("Chromium ended unexpectedly.")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, parameters=None, session=None, timeout=60):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.input, data):]
        deadline = time.monotonic() + timeout
        while True:
            answer = self.read(deadline)
            if answer is None:
                raise BrowserError(f"No answer to {method} after {timeout} s.")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def page(self, width=1360, height=900, dark=False, in_window=False):
        """A tab, or a window of its own, which stays in sight when others are opened."""
        return Page(self, width, height, dark, in_window)


class Page:
    """A tab. `complaints` are console errors, exceptions and violations of the content security policy."""

    def __init__(self, browser, width, height, dark, in_window=False):
        self.browser = browser
        self.target = browser.call("Target.createTarget", {"url": "about:blank", "newWindow": in_window})["targetId"]
        self.session = browser.call("Target.attachToTarget", {"targetId": self.target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.media(dark=dark)

    def call(self, method, parameters=None, timeout=60):
        return self.browser.call(method, parameters, self.session, timeout)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width <= 640})

    def media(self, dark=False, medium=""):
        self.call("Emulation.setEmulatedMedia", {
            "media": medium, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                          {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def open(self, address, wait_for="document.querySelector('#rows') && document.querySelector('#status').childElementCount > 0"):
        self.call("Page.navigate", {"url": address})
        self.wait(wait_for)

    def evaluate(self, expression, timeout=60):
        answer = self.call("Runtime.evaluate", {
            "expression": expression, "returnByValue": True, "awaitPromise": True, "userGesture": True}, timeout)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def wait(self, expression, timeout=30):
        deadline = time.monotonic() + timeout
        # A promise is as good as what it gives; by itself it would be true.
        while not self.evaluate(f"(async () => Boolean(await ({expression})))()"):
            if time.monotonic() > deadline:
                raise BrowserError(f"Not true after {timeout} s: {expression}")
            time.sleep(.02)

    def settle(self):
        """Two frames: what an event asked for is drawn then."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    def key(self, name, shift=False):
        code, number, text = KEYS.get(name) or (f"Key{name.upper()}", ord(name.upper()), name)
        key = {"key": name, "code": code, "windowsVirtualKeyCode": number, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", **key, **({"text": text} if text else {})})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **key})
        self.settle()

    def type(self, text):
        for character in text:
            self.key(character)

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "left" if kind != "mouseMoved" else "none",
            "buttons": 0 if kind == "mouseReleased" else 1, "clickCount": 1})

    def drag(self, start, end):
        self.mouse("mousePressed", *start)
        for step in range(1, 6):
            self.mouse("mouseMoved", *(a + (b - a) * step / 5 for a, b in zip(start, end)))
        self.mouse("mouseReleased", *end)
        self.settle()

    def click(self, selector):
        """A real click on the middle of an element, scrolled into sight; an error if something covers it."""
        box = self.evaluate(f"""(() => {{
          const node = document.querySelector({json.dumps(selector)});
          if (!node) return null;
          const seen = node.getBoundingClientRect();
          if (seen.top < 100 || seen.bottom > innerHeight - 60) node.scrollIntoView({{ block: 'center' }});
          const box = node.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
          const hit = document.elementFromPoint(x, y);
          return {{ x, y, free: node.contains(hit) || (hit !== null && hit.contains(node)) }};
        }})()""")
        if not box:
            raise BrowserError(f"There is no {selector}.")
        if not box["free"]:
            raise BrowserError(f"{selector} is covered or out of sight.")
        self.mouse("mousePressed", box["x"], box["y"])
        self.mouse("mouseReleased", box["x"], box["y"])
        self.settle()

    def picture(self, path, full=False):
        self.settle()
        options = {"format": "png"}
        if full:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options |= {"captureBeyondViewport": True,
                        "clip": {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1}}
        data = base64.b64decode(self.call("Page.captureScreenshot", options)["data"])
        pathlib.Path(path).write_bytes(data)
        return data

    def pdf(self, path=None):
        data = base64.b64decode(self.call("Page.printToPDF", {"printBackground": True, "paperWidth": 8.27, "paperHeight": 11.69}, 120)["data"])
        if path:
            pathlib.Path(path).write_bytes(data)
        return data

    def events(self, *methods):
        return [event for event in self.browser.events if event.get("sessionId") == self.session and event["method"] in methods]

    @property
    def complaints(self):
        self.evaluate("0")  # what happened before is among the events then
        texts = [event["params"]["entry"]["text"] for event in self.events("Log.entryAdded")
                 if event["params"]["entry"]["level"] in ("error", "warning")]
        texts += [event["params"]["exceptionDetails"].get("exception", {}).get("description", "exception")
                  for event in self.events("Runtime.exceptionThrown")]
        texts += [str([argument.get("value") for argument in event["params"]["args"]])
                  for event in self.events("Runtime.consoleAPICalled") if event["params"]["type"] in ("error", "warning", "assert")]
        return texts

    @property
    def requests(self):
        """Addresses that were asked for, other than the page itself."""
        self.evaluate("0")
        return [event["params"]["request"]["url"] for event in self.events("Network.requestWillBeSent")
                if event["params"].get("type") != "Document"]

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})
