// A program with an agent. The test compiles it, and then with a mistake in a key.
package main

import (
	scalr "example.com/pulumi-scalr-agents/sdk/go/scalr-agents"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	format := scalr.AgentJobAgentLogFormatJson
	pulumi.Run(func(ctx *pulumi.Context) error {
		token := config.RequireSecret(ctx, "token")
		_, err := scalr.NewAgentJob(ctx, "runs", &scalr.AgentJobArgs{
			Namespace: "scalr",
			Token:     token,
			Values: &scalr.AgentJobValuesArgs{
				Agent: &scalr.AgentJobAgentValuesArgs{
					ReplicaCount: pulumi.IntRef(2),
					LogFormat:    &format,
					Token:        token,
					ExtraEnv:     map[string]interface{}{"TF_LOG": "INFO"},
				},
			},
		})
		return err
	})
}
