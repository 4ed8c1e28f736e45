"""What a program in another language sends to each component."""

from typing import Any

from tests.helpers.mocked_clouds import INSTANCE, KEY

CA = "-----BEGIN CERTIFICATE-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END CERTIFICATE-----\n"
MIRRORS = [{"url": "https://mirror.acme:8443/providers/"}]
CONNECTION: dict[str, Any] = {
    "namespace": "scalr",
    "release": "agents",
    "url": "https://acme.scalr.io",
    "token": "s3cr3t-token",
    "names": "scoped",
    "secretEnv": {"TF_TOKEN_acme": "x"},
    "serviceAccountAnnotations": {"eks.amazonaws.com/role-arn": "arn"},
    "agentImage": "mirror.acme/agent:1",
    "network": {
        "ingress": "deny",
        "egress": {"only": [{"host": "github.acme.internal", "ports": [22.0, 443.0]}, {"cidr": "10.20.0.0/16"}], "enforcedBy": "gke"},
    },
    "awaitRollout": True,
    "rolloutTimeoutSeconds": 60.0,
}
AGENT_JOB: dict[str, Any] = {
    **CONNECTION,
    "agentVersion": "1.4.0",
    "caBundle": CA,
    "runnerImage": "mirror.acme/runner:1",
    "claimName": "shared",
    "mirrorTokens": {"mirror.acme:8443": "m1rr0r"},
    "values": {
        "agent": {"replicaCount": 2.0, "terminationGracePeriodSeconds": 300.0, "providerNetworkMirrors": MIRRORS},
        "task": {"runner": {"extraEnv": {"COUNT_OF": 5.0}}},
    },
}
MACHINE: dict[str, Any] = {
    "token": "s3cr3t-token",
    "secretEnv": {"TF_TOKEN_acme": "x"},
    "url": "https://acme.scalr.io",
    "min": 1.0,
    "max": 2.0,
    "agentVersion": "1.3.0",
    "concurrency": 2.0,
    "memoryPerRun": "1Gi",
    "imageRegistry": "mirror.acme",
    "env": {"COUNT_OF": 5.0},
    "caBundle": CA,
    "caScope": "tasks",
    "httpsProxy": "http://proxy.acme:3128",
    "noProxy": [".amazonaws.com", ".googleapis.com"],
    "otelEndpoint": "http://otel.acme:4317",
    "allowMetadataService": True,
    "drainSeconds": 600.0,
    "onChange": "keep",
    "runtime": "package",
    "package": {"yum": "https://packages.acme/el9", "key": "https://packages.acme/key"},
}
INPUTS: dict[str, dict[str, Any]] = {
    "AgentController": {
        **{word: content for word, content in AGENT_JOB.items() if word not in ("token", "secretEnv", "mirrorTokens")},
        "secretsFrom": {
            "store": {"name": "vault", "kind": "ClusterSecretStore"},
            "refreshInterval": "30m",
            "token": {"key": "scalr/agents", "property": "token"},
            "env": {"TF_TOKEN_acme": {"key": "scalr/agents", "property": "acme"}},
            "clientKey": {"key": "scalr/client-key"},
        },
        "values": {"global": {"tls": {"clientCert": CA}}},
    },
    "AgentCrds": {"agentVersion": "1.4.0"},
    "AgentJob": AGENT_JOB,
    "AgentK8s": {
        **CONNECTION,
        "agentVersion": "1.4.0",
        "values": {
            "agent": {"container_task_cpu_limit": 4.0, "worker_drain_timeout": 600.0},
            "terminationGracePeriodSeconds": 900.0,
            "extraEnv": {"COUNT_OF": 5.0},
        },
    },
    "AgentLocal": {
        **CONNECTION,
        "agentVersion": "1.4.0",
        "caBundle": CA,
        "claimName": "shared",
        "mirrorTokens": {"mirror.acme:8443": "m1rr0r"},
        "values": {
            "agent": {"providerNetworkMirrors": MIRRORS},
            "replicaCount": 2.0,
            "terminationGracePeriodSeconds": 300.0,
            "extraEnv": {"COUNT_OF": 5.0},
        },
    },
    "AgentNetworkPolicy": {**AGENT_JOB, "mirrorTokens": {}, "values": {"task": {"allowMetadataService": False}}},
    "AgentRbac": {**AGENT_JOB, "mirrorTokens": {}, "values": {"serviceAccount": {"name": "runs"}}},
    "CacheStorageClass": {
        "storageClassName": "agents",
        "provisioner": "efs.csi.aws.com",
        "parameters": {"fileSystemId": "fs-00000a1b"},
        "onDelete": "delete",
    },
    "Ec2Agents": {
        **MACHINE,
        "subnets": ["subnet-0a1b"],
        "instanceType": "m7g.large",
        "architecture": "arm64",
        "amiParameter": "/acme/image",
        "volume": {"size": "40Gi", "kmsKey": KEY},
        "securityGroups": ["sg-0a1b"],
        "policies": ["arn:aws:iam::aws:policy/ReadOnlyAccess"],
        "ssm": True,
        "tags": {"costCenter": "web"},
    },
    "EfsCache": {
        "vpcId": "vpc-0a1b",
        "subnets": {"eu-west-1a": "subnet-0a1b"},
        "clients": {"securityGroups": ["sg-0a1b"], "cidrs": ["10.0.0.0/16", "fd00::/64"]},
        "throughputMode": "provisioned",
        "provisionedThroughputMibps": 5.0,
        "kmsKey": KEY,
        "infrequentAccessAfterDays": 30.0,
        "driverRole": "arn:aws:iam::111122223333:role/efs-csi-node",
        "tags": {"costCenter": "web"},
        "onDelete": "delete",
    },
    "EfsClaim": {
        "namespace": "scalr",
        "release": "runs",
        "fileSystemId": "fs-00000a1b",
        "uid": 1001.0,
        "gid": 1002.0,
        "path": "/cache",
        "iam": True,
        "tags": {"costCenter": "web"},
    },
    "EfsCsiDriver": {"clusterName": "prod", "addonVersion": "v2.1.0-eksbuild.1", "tags": {"costCenter": "web"}},
    "FilestoreCache": {
        "location": "europe-west1-b",
        "tier": "ZONAL",
        "shareName": "agents",
        "connectMode": "PRIVATE_SERVICE_ACCESS",
        "reservedIpRange": "ranges",
        "exportOptions": [
            {"ipRanges": ["10.0.0.0/16"], "accessMode": "READ_WRITE", "squashMode": "ROOT_SQUASH", "anonUid": 1001.0, "anonGid": 1002.0},
            {"ipRanges": ["10.1.0.0/16"], "accessMode": "READ_ONLY"},
        ],
        "kmsKey": "projects/p/locations/europe-west1/keyRings/r/cryptoKeys/k",
        "labels": {"cost_center": "web"},
        "onDelete": "delete",
    },
    "FilestoreClaim": {
        "namespace": "scalr",
        "release": "shared",
        "instanceId": INSTANCE,
        "ipAddress": "10.9.8.7",
        "shareName": "agents",
        "capacity": "2Ti",
        "protocol": "NFS_V4_1",
    },
    "GceAgents": {
        **MACHINE,
        "region": "europe-west1",
        "subnetwork": "agents",
        "machineType": "e2-standard-2",
        "machineImage": "projects/acme/global/images/agents",
        "volume": {"size": "40Gi"},
        "serviceAccount": "runs@acme.iam.gserviceaccount.com",
        "labels": {"cost_center": "web"},
    },
    "StorageClassClaim": {
        "namespace": "scalr",
        "release": "runs",
        "storageClassName": "agents",
        "accessMode": "ReadWriteMany",
        "storage": "50Gi",
        "onDelete": "delete",
    },
}
"""Arguments as a program in another language sends them: camelCase, and every number a float."""
NESTED = {"clients", "egress", "exportOptions", "network", "only", "package", "secretsFrom", "volume"}
"""Arguments with words of their own. All other maps have the user's keys."""
ARGUMENTS = {"AgentController": "AgentJobArgs", "AgentNetworkPolicy": "AgentJobArgs", "AgentRbac": "AgentJobArgs"}
"""The arguments of a component that are not called after it."""
