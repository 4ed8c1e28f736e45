// pulumi-resource-aws for tests: the plugin of Terraform's AWS provider behind Pulumi's bridge, with the types and names of pulumi-aws.
//
// SCALR_AGENTS_TERRAFORM_AWS is the path of the plugin. Only what this project and its examples use is mapped. Names that are made up, and
// what is deleted before it is replaced, are as in pulumi-aws.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/pulumi/pulumi-terraform-bridge/v3/dynamic/internal/shim/run"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/pf/proto"
	pfbridge "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/pf/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge/info"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim"
)

const version = "7.51.1"

func main() {
	ctx := context.Background()
	plugin, err := run.LocalProvider(ctx, os.Getenv("SCALR_AGENTS_TERRAFORM_AWS"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer plugin.Close()
	provider := proto.New(ctx, clusters{plugin})
	mapped := tfbridge.ProviderInfo{
		P:              provider,
		Name:           "aws",
		Version:        version,
		ResourcePrefix: "aws",
		MetadataInfo:   &tfbridge.MetadataInfo{Data: tfbridge.ProviderMetadata(nil)},
		Resources:      resources(),
		DataSources:    functions(),
	}
	mapped.IgnoreMappings = unmapped(provider, mapped)
	mapped.SetAutonaming(255, "-")
	schema := fmt.Sprintf(`{"name":"aws","version":%q}`, version)
	pfbridge.Main(ctx, "aws", mapped, pfbridge.ProviderMetadata{PackageSchema: []byte(schema)})
}

// clusters takes an empty list for what is no word of the user's. Where pulumi-aws has an object in place of a list of one, the bridge sends an
// empty list for none. The plugin takes that for a value, which its networks of clusters cannot be given.
type clusters struct{ run.Provider }

func (provider clusters) ValidateDataResourceConfig(
	ctx context.Context, request *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	if err := provider.clear(ctx, request.TypeName, request.Config); err != nil {
		return nil, err
	}
	return provider.Provider.ValidateDataResourceConfig(ctx, request)
}

func (provider clusters) ReadDataSource(ctx context.Context, request *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	if err := provider.clear(ctx, request.TypeName, request.Config); err != nil {
		return nil, err
	}
	return provider.Provider.ReadDataSource(ctx, request)
}

func (provider clusters) clear(ctx context.Context, name string, config *tfprotov6.DynamicValue) error {
	if name != "aws_eks_cluster" {
		return nil
	}
	schema, err := provider.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	kind := schema.DataSourceSchemas[name].ValueType()
	value, err := config.Unmarshal(kind)
	if err != nil {
		return err
	}
	words := map[string]tftypes.Value{}
	if err := value.As(&words); err != nil {
		return err
	}
	words["vpc_config"] = tftypes.NewValue(words["vpc_config"].Type(), nil)
	cleared, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, words))
	*config = cleared
	return err
}

func resources() map[string]*info.Resource {
	found := map[string]*info.Resource{}
	for name, token := range map[string][2]string{
		"aws_autoscaling_group":                     {"autoscaling", "Group"},
		"aws_autoscaling_lifecycle_hook":            {"autoscaling", "LifecycleHook"},
		"aws_autoscaling_policy":                    {"autoscaling", "Policy"},
		"aws_cloudwatch_log_group":                  {"cloudwatch", "LogGroup"},
		"aws_efs_access_point":                      {"efs", "AccessPoint"},
		"aws_efs_backup_policy":                     {"efs", "BackupPolicy"},
		"aws_efs_file_system":                       {"efs", "FileSystem"},
		"aws_efs_file_system_policy":                {"efs", "FileSystemPolicy"},
		"aws_efs_mount_target":                      {"efs", "MountTarget"},
		"aws_eks_addon":                             {"eks", "Addon"},
		"aws_eks_node_group":                        {"eks", "NodeGroup"},
		"aws_eks_pod_identity_association":          {"eks", "PodIdentityAssociation"},
		"aws_iam_instance_profile":                  {"iam", "InstanceProfile"},
		"aws_iam_policy":                            {"iam", "Policy"},
		"aws_iam_role":                              {"iam", "Role"},
		"aws_iam_role_policy":                       {"iam", "RolePolicy"},
		"aws_iam_role_policy_attachment":            {"iam", "RolePolicyAttachment"},
		"aws_iam_role_policy_attachments_exclusive": {"iam", "RolePolicyAttachmentsExclusive"},
		"aws_kms_key":                               {"kms", "Key"},
		"aws_launch_template":                       {"ec2", "LaunchTemplate"},
		"aws_route_table_association":               {"ec2", "RouteTableAssociation"},
		"aws_secretsmanager_secret":                 {"secretsmanager", "Secret"},
		"aws_secretsmanager_secret_version":         {"secretsmanager", "SecretVersion"},
		"aws_security_group":                        {"ec2", "SecurityGroup"},
		"aws_subnet":                                {"ec2", "Subnet"},
		"aws_vpc_security_group_egress_rule":        {"vpc", "SecurityGroupEgressRule"},
		"aws_vpc_security_group_ingress_rule":       {"vpc", "SecurityGroupIngressRule"},
	} {
		found[name] = &info.Resource{Tok: tfbridge.MakeResource("aws", token[0], token[1])}
	}
	for name, longest := range map[string]int{
		"aws_autoscaling_group":    255,
		"aws_iam_instance_profile": 128,
		"aws_iam_role":             64,
		"aws_iam_role_policy":      128,
		"aws_launch_template":      125,
	} {
		found[name].Fields = map[string]*info.Schema{"name": tfbridge.AutoName("name", longest, "-")}
	}
	found["aws_autoscaling_group"].Fields["tag"] = &info.Schema{Name: "tags"}
	found["aws_efs_file_system"].Fields = map[string]*info.Schema{"creation_token": tfbridge.AutoName("creationToken", 255, "-")}
	found["aws_security_group"].Fields = map[string]*info.Schema{
		"description": {Default: &info.Default{Value: "Managed by Pulumi"}},
		"egress":      {Name: "egress"},
		"ingress":     {Name: "ingress"},
	}
	found["aws_efs_mount_target"].DeleteBeforeReplace = true
	found["aws_iam_role_policy_attachment"].DeleteBeforeReplace = true
	return found
}

func functions() map[string]*info.DataSource {
	found := map[string]*info.DataSource{"aws_partition": {Tok: "aws:index/getPartition:getPartition"}}
	for name, token := range map[string][2]string{
		"aws_ami":           {"ec2", "getAmi"},
		"aws_eks_cluster":   {"eks", "getCluster"},
		"aws_ssm_parameter": {"ssm", "getParameter"},
		"aws_subnet":        {"ec2", "getSubnet"},
	} {
		found[name] = &info.DataSource{Tok: tfbridge.MakeDataSource("aws", token[0], token[1])}
	}
	found["aws_eks_cluster"].Fields = map[string]*info.Schema{"vpc_config": {MaxItemsOne: tfbridge.True()}}
	return found
}

// unmapped has the names of all else that the provider has.
func unmapped(provider shim.Provider, mapped tfbridge.ProviderInfo) []string {
	names := []string{}
	provider.ResourcesMap().Range(func(name string, _ shim.Resource) bool {
		if mapped.Resources[name] == nil {
			names = append(names, name)
		}
		return true
	})
	provider.DataSourcesMap().Range(func(name string, _ shim.Resource) bool {
		if mapped.DataSources[name] == nil {
			names = append(names, name)
		}
		return true
	})
	return names
}
