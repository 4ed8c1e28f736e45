import * as pulumi from "@pulumi/pulumi";
import * as scalr from "./sdk";

const config = new pulumi.Config();
const token = config.requireSecret("token");
const claimName = pulumi.output("cache");

new scalr.AgentJob("runs", {
    namespace: "scalr",
    token,
    secretEnv: { TF_TOKEN_acme: token },
    values: {
        agent: { replicaCount: 2, token, logFormat: "json", affinity: { nodeAffinity: {} }, extraEnv: { DEBUG: true, LEVEL: 1, MODE: "a" } },
        global: { proxy: { enabled: true, httpProxy: token } },
        rbac: { rules: [{ verbs: ["get"], resources: ["pods"] }] },
        persistence: { cache: { enabled: true, persistentVolumeClaim: { claimName, accessMode: "ReadWriteMany" } } },
    },
});
new scalr.AgentK8s("nodes", {
    namespace: "scalr",
    values: { agent: { container_task_cpu_limit: 4, log_format: scalr.types.enums.AgentK8sAgentLogFormat.Json } },
});
new scalr.EfsCache("cache", { clients: { securityGroups: [pulumi.output("sg-0a1b")] } });

// Programs from before values had types.
const open: { [key: string]: any } = { agent: { replicaCount: 2 } };
new scalr.AgentJob("open", { namespace: "scalr", values: open });
