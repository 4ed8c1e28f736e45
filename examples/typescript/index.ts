// One agent in its own namespace, on a cluster that the program selects explicitly: see README.md.

import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as scalr from "@pulumi/scalr-agents";

const config = new pulumi.Config();

// With a mutable Secret, a new token is an update in place. Otherwise the Secret is deleted and created again while pods use it.
// Without the identifier, a changed address or certificate authority in the kubeconfig would replace everything.
const provider = new kubernetes.Provider("cluster", {
    context: config.require("context"),
    clusterIdentifier: config.require("context"),
    enableSecretMutable: true,
});

const namespace = new kubernetes.core.v1.Namespace(
    "scalr-payments",
    { metadata: { name: "scalr-payments", labels: { "pod-security.kubernetes.io/enforce": "restricted" } } },
    { provider },
);

// The definitions stay when this stack is destroyed. Other stacks may install them too.
const crds = new scalr.AgentCrds("agent-crds", {}, { providers: [provider] });

const payments = new scalr.AgentJob(
    "payments",
    {
        namespace: "scalr-payments",
        agentVersion: "0.57.0",
        url: config.require("url"),
        token: config.requireSecret("token"),
        values: {
            agent: { minReadySeconds: 15 }, // an agent with a wrong token is ready for a few seconds before it gives up
            task: {
                job: { activeDeadlineSeconds: 14400 }, // a run that hangs ends after four hours, and its node can be drained
                runner: { resources: { limits: { memory: "4096Mi" } } },
            },
        },
    },
    { providers: [provider], dependsOn: [crds, namespace] },
);

// The account to grant a cloud role to, and the labels for logs and policies to select.
export const serviceAccountName = payments.serviceAccountName;
export const taskPodSelector = payments.taskPodSelector;
