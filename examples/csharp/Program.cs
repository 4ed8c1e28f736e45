// One agent in its own namespace, on a cluster that the program selects explicitly: see README.md.

using System.Collections.Generic;
using Pulumi;
using Pulumi.Kubernetes.Core.V1;
using Pulumi.Kubernetes.Types.Inputs.Meta.V1;
using Pulumi.ScalrAgents;
using Pulumi.ScalrAgents.Inputs;
using Kubernetes = Pulumi.Kubernetes;

return await Deployment.RunAsync(() =>
{
    var config = new Config();

    // With a mutable Secret, a new token is an update in place. Otherwise the Secret is deleted and created again while pods use it.
    // Without the identifier, a changed address or certificate authority in the kubeconfig would replace everything.
    var cluster = new Kubernetes.Provider("cluster", new Kubernetes.ProviderArgs
    {
        Context = config.Require("context"),
        ClusterIdentifier = config.Require("context"),
        EnableSecretMutable = true,
    });

    var scalrPayments = new Namespace("scalr-payments", new NamespaceArgs
    {
        Metadata = new ObjectMetaArgs
        {
            Name = "scalr-payments",
            Labels = { ["pod-security.kubernetes.io/enforce"] = "restricted" },
        },
    }, new CustomResourceOptions { Provider = cluster });

    // The definitions stay when this stack is destroyed. Other stacks may install them too.
    var crds = new AgentCrds("agent-crds", options: new ComponentResourceOptions { Providers = { cluster } });

    var payments = new AgentJob("payments", new AgentJobArgs
    {
        Namespace = "scalr-payments",
        AgentVersion = "0.57.0",
        Url = config.Require("url"),
        Token = config.RequireSecret("token"),
        Values = new AgentJobValuesArgs
        {
            // An agent with a wrong token is ready for a few seconds before it gives up.
            Agent = new AgentJobAgentValuesArgs { MinReadySeconds = 15 },
            Task = new AgentJobTaskValuesArgs
            {
                // A run that hangs ends after four hours, and its node can be drained.
                Job = new AgentJobJobValuesArgs { ActiveDeadlineSeconds = 14400 },
                Runner = new AgentJobRunnerValuesArgs
                {
                    Resources = new Dictionary<string, object>
                    {
                        ["limits"] = new Dictionary<string, object> { ["memory"] = "4096Mi" },
                    },
                },
            },
        },
    }, new ComponentResourceOptions { Providers = { cluster }, DependsOn = { crds, scalrPayments } });

    // The account to grant a cloud role to, and the labels for logs and policies to select.
    return new Dictionary<string, object?>
    {
        ["serviceAccountName"] = payments.ServiceAccountName,
        ["taskPodSelector"] = payments.TaskPodSelector,
    };
});
