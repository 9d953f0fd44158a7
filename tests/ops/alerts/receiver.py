"""HTTP server that records the alerts that it receives."""

import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Receiver:
    """HTTP server on a free port of this machine; stopped and started again on the same port.

    Attributes
    ----------
    status : int
        Status of the answers.
    seconds : float
        Time before an answer.
    alerts : list of dict
        The alerts that were accepted.
    attempts : int
        Number of requests.
    """

    def __init__(self):
        self.status, self.seconds, self.alerts, self.attempts, self.port = 200, 0.0, [], 0, 0
        self._server = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/hook/SECRET?key=SECRET"

    def start(self):
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.attempts += 1
                assert self.headers["Content-Type"] == "application/json"
                time.sleep(receiver.seconds)
                if receiver.status == 200:
                    receiver.alerts.append(json.loads(body))
                self.send_response(receiver.status)
                if 300 <= receiver.status < 400:
                    self.send_header("Location", "/elsewhere")
                self.end_headers()

            def do_GET(self):
                raise AssertionError("a redirect was followed")

            def log_message(self, *some):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_port
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def kinds(self):
        """Return kind and status of each alert."""
        return [(each["alert"], each["status"]) for each in self.alerts]
