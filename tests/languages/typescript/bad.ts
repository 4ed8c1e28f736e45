import * as scalr from "./sdk";

new scalr.AgentJob("a", { namespace: "scalr", values: { agent: { replicaCont: 2 } } }); // wrong
new scalr.AgentJob("b", { namespace: "scalr", values: { agent: { replicaCount: "2" } } }); // wrong
new scalr.AgentJob("c", { namespace: "scalr", values: { task: { runner: { imag: {} } } } }); // wrong
new scalr.AgentJob("d", { namespace: "scalr", values: { agent: { logFormat: "jsn" } } }); // wrong
new scalr.AgentK8s("e", { namespace: "scalr", values: { agent: { containerTaskCpuLimit: 4 } } }); // wrong
