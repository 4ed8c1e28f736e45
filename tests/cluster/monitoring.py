"""Prometheus and kube-state-metrics beside a control plane, with default settings except intervals."""

import json
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.cluster.control_plane import ControlPlane, free_ports
from tests.cluster.processes import Processes, Running

_FOR = "2s"
_SECONDS = 10


def hurried(rules: str) -> str:
    """The rules with durations in seconds instead of minutes. Their expressions stay."""
    made = yaml.safe_load(rules)
    for group in made["groups"]:
        for rule in group["rules"]:
            rule |= {key: _FOR for key in ("for", "keep_firing_for") if key in rule}
            rule["expr"] = re.sub(r"(kube_job_created\{[^}]*\}\)) > 60", r"\1 > 5", rule["expr"])
    return json.dumps(made)


class Kubelet:
    """Metrics of a kubelet and its cAdvisor, which simulated nodes do not have."""

    def __init__(self) -> None:
        self.text = ""
        kubelet = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with suppress(BrokenPipeError):  # when Prometheus is stopped
                    self.send_response(200)
                    self.send_header("Content-Type", "text/plain; version=0.0.4")
                    self.end_headers()
                    self.wfile.write(kubelet.text.encode())

            def log_message(self, *arguments: Any) -> None:
                """Suppress the access log."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def set_metrics(self, metrics: Mapping[str, float]) -> None:
        """Serve these values from now on, by series."""
        self.text = "".join(f"{series} {value}\n" for series, value in metrics.items())

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Monitoring(Running):
    """The monitoring of a cluster."""

    def __init__(self, directory: Path, control_plane: ControlPlane, rules: str) -> None:
        self._processes, self.kubelet = Processes(directory), Kubelet()
        metrics, telemetry, port = free_ports(3)
        self._api = httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", timeout=_SECONDS)
        targets = {"kube-state-metrics": metrics, "kubelet": self.kubelet.port}
        jobs = [
            {"job_name": name, "honor_labels": True, "static_configs": [{"targets": [f"127.0.0.1:{number}"]}]}
            for name, number in targets.items()
        ]
        config, rule_file = directory / "prometheus.yaml", directory / "rules.json"
        rule_file.write_text(rules)
        times = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config.write_text(json.dumps({"global": times, "rule_files": [str(rule_file)], "scrape_configs": jobs}))
        try:
            self._processes.run(
                "kube-state-metrics",
                f"--kubeconfig={control_plane.kubeconfig}",
                "--host=127.0.0.1",
                "--telemetry-host=127.0.0.1",
                f"--port={metrics}",
                f"--telemetry-port={telemetry}",
                until=partial(_answers, f"http://127.0.0.1:{metrics}/healthz"),
            )
            self._processes.run(
                "prometheus",
                f"--config.file={config}",
                f"--storage.tsdb.path={directory / 'prometheus'}",
                f"--web.listen-address=127.0.0.1:{port}",
                until=partial(_answers, f"http://127.0.0.1:{port}/-/ready"),
            )
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        self._processes.stop()
        self._api.close()
        self.kubelet.stop()

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The current vector of an expression."""
        answer = self._api.get("/query", params={"query": expression})
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["data"]["result"]
        return found

    def fired(self, seconds: int) -> set[tuple[str, str]]:
        """The alerts that fired within the last seconds, by agent."""
        found = self.query(f'max_over_time(ALERTS{{alertstate="firing"}}[{seconds}s])')
        return {(each["metric"]["agent"], each["metric"]["alertname"]) for each in found}

    def alerts(self) -> list[dict[str, Any]]:
        """What Alertmanager would get now."""
        found: list[dict[str, Any]] = self._api.get("/alerts").json()["data"]["alerts"]
        return [each for each in found if each["state"] == "firing"]

    def unhealthy(self) -> list[str]:
        """Rules that Prometheus could not evaluate."""
        groups = self._api.get("/rules").json()["data"]["groups"]
        return [rule["lastError"] for group in groups for rule in group["rules"] if rule["health"] == "err"]


def _answers(url: str) -> bool:
    try:
        return httpx.get(url).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False
