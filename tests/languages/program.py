"""A program with mistakes in its values. Type checkers must report the lines that say so, and no others."""

PROGRAM = """\
import pulumi
from scalr_agents import AgentJob, AgentJobValues, AgentK8s, AgentLocal, load_values

config = pulumi.Config()
token = config.require_secret("token")
web: AgentJobValues = {"agent": {"replicaCount": 2, "token": token}, "global": {"proxy": {"enabled": True, "httpProxy": token}}}
AgentJob("web", {"namespace": "scalr", "values": web})
AgentJob("file", {"namespace": "scalr", "values": load_values("values.yaml")})
AgentJob("more", {"namespace": "scalr", "values": {**web, "rbac": {"rules": [{"verbs": ["get"]}]}}})
AgentJob("null", {"namespace": "scalr", "values": {"agent": {"replicaCount": None, "affinity": {"nodeAffinity": {}}, "debug": 1}}})
AgentK8s("k8s", {"namespace": "scalr", "values": {"agent": {"container_task_cpu_limit": 4}}})
AgentJob("a", {"namespace": "scalr", "values": {"agent": {"replicaCont": 2}}})  # wrong
AgentJob("b", {"namespace": "scalr", "values": {"agent": {"replicaCount": "2"}}})  # wrong
AgentJob("c", {"namespace": "scalr", "values": {"global": {"prox": {}}}})  # wrong
AgentJob("d", {"namespace": "scalr", "values": {"agent": {"replicaCount": token}}})  # wrong
AgentJob("e", {"namespace": "scalr", "values": {"rbac": {"rules": [{"resources": ["pods"]}]}}})  # wrong
AgentLocal("f", {"namespace": "scalr", "values": {"agent": {"shutdownMode": "drian"}}})  # wrong
AgentLocal("g", {"namespace": "scalr", "values": web})  # wrong
AgentK8s("h", {"namespace": "scalr", "values": {"agent": {"replicaCount": 2}}})  # wrong
"""
WRONG = {number for number, line in enumerate(PROGRAM.splitlines(), start=1) if line.endswith("# wrong")}
