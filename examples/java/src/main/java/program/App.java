package program;

import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.core.Output;
import com.pulumi.core.annotations.Import;
import com.pulumi.resources.ComponentResourceOptions;
import com.pulumi.resources.CustomResource;
import com.pulumi.resources.CustomResourceOptions;
import com.pulumi.resources.ProviderResource;
import com.pulumi.resources.ResourceArgs;
import com.pulumi.scalragents.AgentCrds;
import com.pulumi.scalragents.AgentCrdsArgs;
import com.pulumi.scalragents.AgentJob;
import com.pulumi.scalragents.AgentJobArgs;
import com.pulumi.scalragents.inputs.AgentJobAgentValuesArgs;
import com.pulumi.scalragents.inputs.AgentJobJobValuesArgs;
import com.pulumi.scalragents.inputs.AgentJobRunnerValuesArgs;
import com.pulumi.scalragents.inputs.AgentJobTaskValuesArgs;
import com.pulumi.scalragents.inputs.AgentJobValuesArgs;
import java.util.Map;

/** One agent in its own namespace, on a cluster that the program selects explicitly: see README.md. */
public class App {
    public static void main(String[] arguments) {
        Pulumi.run(App::agent);
    }

    private static void agent(Context context) {
        var config = context.config();
        var cluster = new ProviderResource(
            "kubernetes", "cluster", new Cluster(config.require("context")), CustomResourceOptions.builder().version("4.34.2").build());

        var labels = Map.of("pod-security.kubernetes.io/enforce", "restricted");
        var namespace = new CustomResource(
            "kubernetes:core/v1:Namespace",
            "scalr-payments",
            new Namespace(Map.of("name", "scalr-payments", "labels", labels)),
            CustomResourceOptions.builder().provider(cluster).build());

        // The definitions stay when this stack is destroyed. Other stacks may install them too.
        var crds = new AgentCrds("agent-crds", AgentCrdsArgs.Empty, ComponentResourceOptions.builder().providers(cluster).build());

        var values = AgentJobValuesArgs.builder()
            // An agent with a wrong token is ready for a few seconds before it gives up.
            .agent(AgentJobAgentValuesArgs.builder().minReadySeconds(15).build())
            .task(AgentJobTaskValuesArgs.builder()
                // A run that hangs ends after four hours, and its node can be drained.
                .job(AgentJobJobValuesArgs.builder().activeDeadlineSeconds(14400).build())
                .runner(AgentJobRunnerValuesArgs.builder().resources(Map.of("limits", Map.of("memory", "4096Mi"))).build())
                .build())
            .build();
        var payments = new AgentJob(
            "payments",
            AgentJobArgs.builder()
                .namespace("scalr-payments")
                .agentVersion("0.57.0")
                .url(config.require("url"))
                .token(config.requireSecret("token"))
                .values(values)
                .build(),
            ComponentResourceOptions.builder().providers(cluster).dependsOn(crds, namespace).build());

        // The account to grant a cloud role to, and the labels for logs and policies to select.
        context.export("serviceAccountName", payments.serviceAccountName());
        context.export("taskPodSelector", payments.taskPodSelector());
    }

    /**
     * Settings of the Kubernetes provider. With a mutable Secret, a new token is an update in place. Otherwise the Secret is deleted and
     * created again while pods use it. Without the identifier, a changed address or certificate authority in the kubeconfig would replace
     * everything.
     */
    private static final class Cluster extends ResourceArgs {
        @Import(name = "context")
        private final Output<String> context;

        @Import(name = "clusterIdentifier")
        private final Output<String> clusterIdentifier;

        @Import(name = "enableSecretMutable", json = true)
        private final Output<Boolean> enableSecretMutable = Output.of(true);

        private Cluster(String context) {
            this.context = Output.of(context);
            this.clusterIdentifier = Output.of(context);
        }
    }

    /** A namespace, as the Kubernetes provider takes it. */
    private static final class Namespace extends ResourceArgs {
        @Import(name = "apiVersion")
        private final Output<String> apiVersion = Output.of("v1");

        @Import(name = "kind")
        private final Output<String> kind = Output.of("Namespace");

        @Import(name = "metadata")
        private final Output<Map<String, Object>> metadata;

        private Namespace(Map<String, Object> metadata) {
            this.metadata = Output.of(metadata);
        }
    }
}
