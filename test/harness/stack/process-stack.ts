import type { Client } from "@connectrpc/connect";
import type { IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import type { StoreAdminService } from "#gen/registry/v1/store_admin_service_pb.js";
import { pathOf } from "../receiver/behaviour.ts";
import { type ReceivedMessage, receivedMessages } from "../receiver/received-messages.ts";
import type { SupervisedProcess } from "../supervisor/supervised-process.ts";
import { openTestDatabase, type TestDatabase } from "../test-database.ts";
import { partOf, startStack } from "./start-stack.ts";

/** One replica of every service, with a webhook receiver and a database on the run's server. */
export interface ProcessStack {
  /** Address of the edge, without a path. */
  readonly baseUrl: string;
  /** gRPC address of the registry, `host:port`. */
  readonly registryAddress: string;
  readonly database: TestDatabase;
  readonly registry: SupervisedProcess;
  readonly edge: SupervisedProcess;
  readonly notifier: SupervisedProcess;
  readonly issuing: Client<typeof IssuingService>;
  readonly admin: Client<typeof StoreAdminService>;
  /** Sets the store's webhook to the receiver, with a new signing secret. One store per stack. */
  receiveWebhooksOf(storeId: string): Promise<void>;
  /** Returns the messages that the receiver has answered so far, oldest first. */
  received(): Promise<ReceivedMessage[]>;
  stop(): Promise<void>;
}

/** Options of {@link startProcessStack}. */
export interface ProcessStackOptions {
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
