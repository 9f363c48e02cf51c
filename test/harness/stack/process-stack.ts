import { certctlVariables } from "../certctl-variables.ts";
import { inStore } from "../in-store.ts";
import { ListClient } from "../list-client.ts";
import { pathOf } from "../receiver/behaviour.ts";
import { type ReceivedMessage, receivedMessages } from "../receiver/received-messages.ts";
import type { SupervisedProcess } from "../supervisor/supervised-process.ts";
import type { TestDatabase } from "../test-database.ts";
import { createKeyedStore } from "../test-stores.ts";
import { openStack } from "./open-stack.ts";
import type { RegistryClients } from "./registry-clients.ts";
import { partOf, type StackRegistry } from "./start-stack.ts";

/** One replica of every service, with a webhook receiver and a database on the run's database server. */
export interface ProcessStack extends Pick<RegistryClients, "issuing" | "admin"> {
  /** Base URL of the edge, without a trailing slash. */
  readonly baseUrl: string;
  /** gRPC address of the registry, `host:port`. */
  readonly registryAddress: string;
  /** URL of the registry's metrics. */
  readonly registryMetricsUrl: string;
  /** Environment variables with which certctl can call the registry. */
  readonly certctlVariables: Readonly<Record<string, string>>;
  /** Creates clients of the registry. */
  readonly connect: StackRegistry["connect"];
  readonly database: TestDatabase;
  readonly registry: SupervisedProcess;
  readonly edge: SupervisedProcess;
  readonly notifier: SupervisedProcess;
  /** Sets the store's webhook to the receiver, with a new signing secret. Supports only one store per stack. */
  receiveWebhooksOf(storeId: string): Promise<void>;
  /** Returns the messages that the receiver has received completely so far, oldest first. */
  received(): Promise<ReceivedMessage[]>;
}

/** Starts a stack and stops it after the tests of the file. Processes that exit are not restarted. */
export async function openProcessStack(registryEnv: Readonly<Record<string, string>> = {}): Promise<ProcessStack> {
  const stack = await openStack({
    name: "registry-stack",
    registries: [{ env: registryEnv }],
    edges: [{}],
    notifiers: [{}],
    receiverSeed: 1,
  });
  const { receiver } = stack;
  if (receiver === undefined) throw new Error("the stack has no receiver");
  const { process: registry, address: registryAddress, metricsUrl, connect, admin, issuing } = partOf(stack.registries);
  const { process: edge, url: baseUrl } = partOf(stack.edges);
  let signingSecret = "";
  return {
    baseUrl,
    registryAddress,
    connect,
    certctlVariables: certctlVariables(stack.secrets.grpc?.operator),
    registryMetricsUrl: metricsUrl,
    database: stack.testDatabase,
    registry,
    edge,
    issuing,
    admin,
    notifier: partOf(stack.notifiers),
    receiveWebhooksOf: async (storeId) => {
      const url = `${receiver.url}${pathOf("answers", "webhooks")}`;
      ({ secret: signingSecret } = await admin.setWebhook({ url, createSecret: true }, inStore(storeId)));
    },
    received: async () => receivedMessages(await receiver.requests(), signingSecret),
  };
}

/** Creates a store with an API key, and a client that uses the key. @param overrides fields of the new store */
export async function createStoreClient(stack: ProcessStack, overrides: Parameters<typeof createKeyedStore>[1] = {}) {
  const { storeId, apiKey, keyId } = await createKeyedStore(stack, overrides);
  return { storeId, apiKey, keyId, client: new ListClient(stack.baseUrl, apiKey) };
}
