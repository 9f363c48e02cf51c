import type { NatsConnection } from "nats";
import { partitionCount, readStreamState, type StreamState } from "#shared/nats/event-stream.ts";
import { type Check, failed, passed, skipped } from "../diagnostics/check.ts";

/** Input of {@link natsChecks}. */
export interface NatsSubject {
  /** Undefined while there is no connection. */
  readonly connection: NatsConnection | undefined;
  /** Configured number of copies of each message in the stream (REGISTRY_STREAM_REPLICAS). */
  readonly streamReplicas: number;
}

const versionMin = [2, 10] as const;
const notConnected = "not connected";

/**
 * Checks of the NATS server, the stream and its consumers. They write nothing. Without a connection only the first one
 * fails, and without a stream only the second one: the remedies of the others would distract from the fault.
 */
export const natsChecks: readonly Check<NatsSubject>[] = [
  {
    name: `the registry is connected to NATS ${versionMin.join(".")} or later`,
    remedy: "Check REGISTRY_NATS_SERVERS, the credentials and the network. If the server is older, upgrade it.",
    run: async ({ connection }) => {
      // Undefined while the client reconnects.
      const version = connection?.info?.version;
      if (version === undefined) return failed(notConnected);
      const [major = 0, minor = 0] = version.split(".").map(Number);
      const isRecent = major > versionMin[0] || (major === versionMin[0] && minor >= versionMin[1]);
      return isRecent ? passed(version) : failed(version);
    },
  },
  {
    name: "the stream exists and has the configuration that the registry sets",
    remedy:
      "The registry creates a missing stream with the next event. To correct another configuration, restart the registry. If the fault remains, look for the reason in the registry's log.",
    run: async (subject) => {
      const state = await stateOf(subject);
      if (state === notConnected) return skipped(notConnected);
      if (state === undefined) return failed("the stream does not exist");
      const { messages, bytes, isConfigured } = state;
      return isConfigured ? passed(`${messages} messages, ${bytes} bytes`) : failed("the configuration differs");
    },
  },
  {
    name: `the stream has its ${partitionCount} consumers`,
    remedy: "Start a notifier, which creates the consumers; if it does not, look for the reason in its log.",
    run: async (subject) => {
      const state = await stateOf(subject);
      if (state === notConnected) return skipped(notConnected);
      if (state === undefined) return skipped("the stream does not exist");
      const seen = `${state.consumers} consumers`;
      return state.consumers === partitionCount ? passed(seen) : failed(seen);
    },
  },
];

async function stateOf(subject: NatsSubject): Promise<StreamState | undefined | typeof notConnected> {
  const { connection, streamReplicas: replicas } = subject;
  if (connection?.info === undefined) return notConnected;
  return readStreamState(await connection.jetstreamManager(), { replicas });
}
