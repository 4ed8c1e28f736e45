"""Both clouds as a process: `python -m tests.machines_for_real.cloud DIRECTORY`, in the network namespace of a machine.

The metadata services answer at their own address, the services of the clouds by TLS on this machine's. The directory has the certificate,
what the secret holds (`content`), whether the machine has to go (`leaving`), and what was completed (`completed`).
"""

import json
import ssl
import sys
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

from tests.machines.stand_ins import Cloud, serve

METADATA = ("169.254.169.254", 80)
SERVICES = ("127.0.0.1", 443)


class OnDisk(Cloud):
    """A cloud whose state is in files, so that a test in another process can change it."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.directory = directory

    def metadata(self, method: str, path: str, headers: Mapping[str, str]) -> tuple[int, str]:
        self.leaving = (self.directory / "leaving").exists()
        return super().metadata(method, path, headers)

    def service(self, host: str, method: str, path: str, headers: Mapping[str, str], body: str) -> tuple[int, str]:
        self.content = (self.directory / "content").read_text()
        answer = super().service(host, method, path, headers, body)
        (self.directory / "completed").write_text(json.dumps(self.completed))
        return answer


def serve_services(cloud: Cloud, certificate: Path) -> None:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            host = self.headers["Host"].removesuffix(":443")
            status, content = cloud.service(host, self.command, self.path, dict(self.headers), body)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(content.encode())

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return self.answer
            raise AttributeError(name)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(SERVICES, Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, daemon=True).start()


if __name__ == "__main__":
    state = Path(sys.argv[1])
    cloud = OnDisk(state)
    serve(cloud, METADATA)
    serve_services(cloud, state / "certificate.pem")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    Event().wait()
