import { automationStreamName } from "#shared/nats/automation-stream.ts";
import { streamName } from "#shared/nats/event-stream.ts";

/** The subjects that a NATS user may use. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

const streamCalls = [streamName, automationStreamName].flatMap((stream) =>
  ["INFO", "CREATE", "UPDATE", "MSG.GET", "MSG.DELETE"].map((call) => `$JS.API.STREAM.${call}.${stream}`),
);
const consumerCalls = ["INFO", "CREATE", "MSG.NEXT"].map((call) => `$JS.API.CONSUMER.${call}.${streamName}.>`);

/** The permissions listed in deploy/operations/nats.md; test/guard/nats-permissions.test.ts compares the two lists. */
export const documentedPermissions = {
  registry: {
    publish: ["certificates.>", "automation.>", "registry.events.*", "$JS.API.INFO", ...streamCalls],
    subscribe: ["registry.events.*", "_INBOX.registry.>"],
  },
  notifier: {
    publish: ["$JS.API.INFO", ...consumerCalls, `$JS.ACK.${streamName}.>`],
    subscribe: ["_INBOX.notifier.>"],
  },
};

/** Permits all subjects, for tests that observe the servers. */
export const allPermissions: NatsPermissions = { publish: [">"], subscribe: [">"] };
