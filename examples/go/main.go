// One agent in its own namespace, on a cluster that the program selects explicitly: see README.md.
package main

import (
	scalr "example.com/pulumi-scalr-agents/sdk/go/scalragents"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(agent)
}

func agent(ctx *pulumi.Context) error {
	// With a mutable Secret, a new token is an update in place. Otherwise the Secret is deleted and created again while pods use it.
	// Without the identifier, a changed address or certificate authority in the kubeconfig would replace everything.
	var cluster pulumi.ProviderResourceState
	context := pulumi.String(config.Require(ctx, "context"))
	err := ctx.RegisterResource("pulumi:providers:kubernetes", "cluster", pulumi.Map{
		"context":             context,
		"clusterIdentifier":   context,
		"enableSecretMutable": pulumi.Bool(true),
	}, &cluster, pulumi.Version("4.34.2"))
	if err != nil {
		return err
	}

	var namespace pulumi.CustomResourceState
	err = ctx.RegisterResource("kubernetes:core/v1:Namespace", "scalr-payments", pulumi.Map{
		"apiVersion": pulumi.String("v1"),
		"kind":       pulumi.String("Namespace"),
		"metadata": pulumi.Map{
			"name":   pulumi.String("scalr-payments"),
			"labels": pulumi.Map{"pod-security.kubernetes.io/enforce": pulumi.String("restricted")},
		},
	}, &namespace, pulumi.Provider(&cluster))
	if err != nil {
		return err
	}

	// The definitions stay when this stack is destroyed. Other stacks may install them too.
	crds, err := scalr.NewAgentCrds(ctx, "agent-crds", nil, pulumi.Providers(&cluster))
	if err != nil {
		return err
	}

	payments, err := scalr.NewAgentJob(ctx, "payments", &scalr.AgentJobArgs{
		Namespace:    "scalr-payments",
		AgentVersion: pulumi.StringRef("0.57.0"),
		Url:          pulumi.String(config.Require(ctx, "url")),
		Token:        config.RequireSecret(ctx, "token"),
		Values: &scalr.AgentJobValuesArgs{
			// An agent with a wrong token is ready for a few seconds before it gives up.
			Agent: &scalr.AgentJobAgentValuesArgs{MinReadySeconds: pulumi.IntRef(15)},
			Task: &scalr.AgentJobTaskValuesArgs{
				// A run that hangs ends after four hours, and its node can be drained.
				Job:    &scalr.AgentJobJobValuesArgs{ActiveDeadlineSeconds: pulumi.IntRef(14400)},
				Runner: &scalr.AgentJobRunnerValuesArgs{Resources: pulumi.Map{"limits": pulumi.StringMap{"memory": pulumi.String("4096Mi")}}},
			},
		},
	}, pulumi.Providers(&cluster), pulumi.DependsOn([]pulumi.Resource{crds, &namespace}))
	if err != nil {
		return err
	}

	// The account to grant a cloud role to, and the labels for logs and policies to select.
	ctx.Export("serviceAccountName", payments.ServiceAccountName)
	ctx.Export("taskPodSelector", payments.TaskPodSelector)
	return nil
}
