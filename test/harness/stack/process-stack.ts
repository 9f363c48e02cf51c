import { pathOf } from "../receiver/behaviour.ts";
import { type ReceivedMessage, receivedMessages } from "../receiver/received-messages.ts";
import type { SupervisedProcess } from "../supervisor/supervised-process.ts";
import { openTestDatabase, type TestDatabase } from "../test-database.ts";
import type { RegistryClients } from "./registry-clients.ts";
import { partOf, startStack } from "./start-stack.ts";

/** One replica of every service, with a webhook receiver and a database on the run's server. */
export interface ProcessStack extends Pick<RegistryClients, "issuing" | "admin"> {
  /** Address of the edge, without a path. */
  readonly baseUrl: string;
  /** gRPC address of the registry, `host:port`. */
  readonly registryAddress: string;
  readonly database: TestDatabase;
  readonly registry: SupervisedProcess;
  readonly edge: SupervisedProcess;
  readonly notifier: SupervisedProcess;
  /** Sets the store's webhook to the receiver, with a new signing secret. One store per stack. */
  receiveWebhooksOf(storeId: string): Promise<void>;
  /** Returns the messages that the receiver has answered so far, oldest first. */
  received(): Promise<ReceivedMessage[]>;
  stop(): Promise<void>;
}

interface ProcessStackOptions {
  /** Additional variables of the registry. */
  readonly registryEnv?: Readonly<Record<string, string>>;
}

/** Starts a stack for end-to-end and fault tests. Processes that exit are not restarted. */
export async function startProcessStack({ registryEnv = {} }: ProcessStackOptions = {}): Promise<ProcessStack> {
  const database = await openTestDatabase();
  const stack = await startStack({
    name: "registry-stack",
    mongodbUri: database.uri,
    registries: [{ env: registryEnv }],
    edges: [{}],
    notifiers: [{}],
    receiverSeed: 1,
  }).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const { receiver } = stack;
  if (receiver === undefined) throw new Error("the stack has no receiver");
  const { process: registry, address: registryAddress, admin, issuing } = partOf(stack.registries);
  const { process: edge, url: baseUrl } = partOf(stack.edges);
  let signingSecret = "";
  return {
    ...{ baseUrl, registryAddress, database, registry, edge, issuing, admin },
    notifier: partOf(stack.notifiers),
    receiveWebhooksOf: async (storeId) => {
      const url = `${receiver.url}${pathOf("answers", "webhooks")}`;
      ({ secret: signingSecret } = await admin.setWebhook({ storeId, url, createSecret: true }));
    },
    received: async () => receivedMessages(await receiver.requests(), signingSecret),
    stop: async () => {
      await stack.close();
      await database.close();
    },
  };
}
