// pulumi-resource-gcp for tests: the code of Terraform's Google provider behind Pulumi's bridge, with the types and names of pulumi-gcp.
//
// Only what this project and its examples use is mapped. Names that are made up, and what is deleted before it is replaced, are as in
// pulumi-gcp. That has the provider's beta version, which knows two fields more.
package main

import (
	"fmt"

	"github.com/hashicorp/terraform-provider-google/google/provider"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge/info"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim"
	shimv2 "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim/sdk-v2"
)

const version = "10.2.0"

func main() {
	served := shimv2.NewProvider(provider.Provider())
	mapped := tfbridge.ProviderInfo{
		P:                              served,
		Name:                           "google",
		ResourcePrefix:                 "google",
		Version:                        version,
		MetadataInfo:                   &tfbridge.MetadataInfo{Data: tfbridge.ProviderMetadata(nil)},
		Config:                         map[string]*info.Schema{"access_token": {Secret: tfbridge.True()}},
		Resources:                      resources(served),
		DataSources:                    functions(),
		EnableAccurateBridgePreview:    true,
		EnableRawStateDelta:            true,
		EnableZeroDefaultSchemaVersion: true,
	}
	mapped.IgnoreMappings = unmapped(served, mapped)
	mapped.SetAutonaming(255, "-")
	tfbridge.Main("gcp", version, mapped, []byte(fmt.Sprintf(`{"name":"gcp","version":%q}`, version)))
}

func resources(served shim.Provider) map[string]*info.Resource {
	found := map[string]*info.Resource{}
	for name, token := range map[string][2]string{
		"google_compute_firewall":                      {"compute", "Firewall"},
		"google_compute_instance_template":             {"compute", "InstanceTemplate"},
		"google_compute_region_autoscaler":             {"compute", "RegionAutoscaler"},
		"google_compute_region_instance_group_manager": {"compute", "RegionInstanceGroupManager"},
		"google_container_node_pool":                   {"container", "NodePool"},
		"google_filestore_instance":                    {"filestore", "Instance"},
		"google_project_iam_member":                    {"projects", "IAMMember"},
		"google_secret_manager_secret":                 {"secretmanager", "Secret"},
		"google_secret_manager_secret_iam_member":      {"secretmanager", "SecretIamMember"},
		"google_secret_manager_secret_version":         {"secretmanager", "SecretVersion"},
		"google_service_account":                       {"serviceaccount", "Account"},
		"google_service_account_iam_member":            {"serviceaccount", "IAMMember"},
	} {
		found[name] = &info.Resource{Tok: tfbridge.MakeResource("gcp", token[0], token[1]), Fields: map[string]*info.Schema{}}
		if schema, ok := served.ResourcesMap().GetOk(name); ok {
			if _, ok := schema.Schema().GetOk("terraform_labels"); ok {
				found[name].Fields["terraform_labels"] = &info.Schema{Name: "pulumiLabels"}
			}
		}
	}
	found["google_secret_manager_secret"].Fields["secret_id"] = tfbridge.AutoName("secretId", 255, "-")
	found["google_service_account"].Fields["account_id"] = info.AutoName("", 30, "-")
	found["google_project_iam_member"].DeleteBeforeReplace = true
	found["google_secret_manager_secret"].DeleteBeforeReplace = true
	return found
}

func functions() map[string]*info.DataSource {
	return map[string]*info.DataSource{
		"google_compute_subnetwork": {Tok: tfbridge.MakeDataSource("gcp", "compute", "getSubnetwork")},
		"google_filestore_instance": {Tok: tfbridge.MakeDataSource("gcp", "filestore", "getInstance")},
	}
}

// unmapped has the names of all else that the provider has.
func unmapped(served shim.Provider, mapped tfbridge.ProviderInfo) []string {
	names := []string{}
	served.ResourcesMap().Range(func(name string, _ shim.Resource) bool {
		if mapped.Resources[name] == nil {
			names = append(names, name)
		}
		return true
	})
	served.DataSourcesMap().Range(func(name string, _ shim.Resource) bool {
		if mapped.DataSources[name] == nil {
			names = append(names, name)
		}
		return true
	})
	return names
}
