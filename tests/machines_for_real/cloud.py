"""Both clouds as a process: `python -m tests.machines_for_real.cloud DIRECTORY`, in the network namespace of a machine.

The metadata services answer at their own address, the services of the clouds by TLS on this machine's. The directory has the certificate,
what the secret holds (`content`), whether the machine has to go (`leaving`), and what was completed (`completed`).
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event

from tests.helpers.stand_ins import Cloud, serve

METADATA = ("169.254.169.254", 80)
SERVICES = ("127.0.0.1", 443)


class OnDisk(Cloud):
    """A cloud whose state is in files, so that a test in another process can change it."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.directory = directory

    def metadata(self, method: str, path: str, headers: Mapping[str, str], _body: str = "") -> tuple[int, str]:
        self.leaving = (self.directory / "leaving").exists()
        return super().metadata(method, path, headers)

    def services(self, method: str, path: str, headers: Mapping[str, str], body: str) -> tuple[int, str]:
        """What the service answers to which a request is addressed."""
        self.content = (self.directory / "content").read_text()
        host = {name.lower(): value for name, value in headers.items()}["host"].removesuffix(":443")
        answer = self.service(host, method, path, headers, body)
        (self.directory / "completed").write_text(json.dumps(self.completed))
        return answer


if __name__ == "__main__":
    state = Path(sys.argv[1])
    cloud = OnDisk(state)
    serve(cloud.metadata, METADATA)
    serve(cloud.services, SERVICES, state / "certificate.pem")
    Event().wait()
