// In place of the provider's own list: the services that this project and its examples use. Each is a package that takes minutes to build.
package provider

import (
	_ "github.com/hashicorp/terraform-provider-google/google/services/compute"
	_ "github.com/hashicorp/terraform-provider-google/google/services/container"
	_ "github.com/hashicorp/terraform-provider-google/google/services/filestore"
	_ "github.com/hashicorp/terraform-provider-google/google/services/kms"
	_ "github.com/hashicorp/terraform-provider-google/google/services/resourcemanager"
	_ "github.com/hashicorp/terraform-provider-google/google/services/secretmanager"
	_ "github.com/hashicorp/terraform-provider-google/google/services/tags"
)
