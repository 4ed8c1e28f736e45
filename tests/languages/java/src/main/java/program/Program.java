package program;

import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.scalragents.AgentJob;
import com.pulumi.scalragents.AgentJobArgs;
import com.pulumi.scalragents.enums.AgentJobAgentLogFormat;
import com.pulumi.scalragents.inputs.AgentJobAgentValuesArgs;
import com.pulumi.scalragents.inputs.AgentJobValuesArgs;

/** A program with an agent. The test compiles it, and then with a mistake in a key. */
public class Program {
    public static void main(String[] arguments) {
        Pulumi.run(Program::agent);
    }

    private static void agent(Context context) {
        var token = context.config().requireSecret("token");
        var agent = AgentJobAgentValuesArgs.builder().replicaCount(2).logFormat(AgentJobAgentLogFormat.Json).token(token).build();
        var values = AgentJobValuesArgs.builder().agent(agent).build();
        new AgentJob("runs", AgentJobArgs.builder().namespace("scalr").token(token).values(values).build());
    }
}
