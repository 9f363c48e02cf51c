import { createHmac } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { connect } from "nats";
import type { TestContext } from "vitest";
import type { CreateTriggerRequest } from "#gen/registry/v1/trigger_service_pb.js";
import type { ReceivedRequest } from "../../services/notifier/webhook/receiver-fixture.ts";
import type { RegistryOverrides } from "../../services/registry/wiring-deps.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createTestStore } from "../harness/test-stores.ts";
import { closing, startNotifier, startReceiver } from "./notifier-rig.ts";

// The first retries are about 3,600 times as fast as those of the default schedule. An event is given up after a time
// in which a test ends also on a busy machine.
const fastSchedule = { REGISTRY_TRIGGER_RETRY_BASE_MS: "3", REGISTRY_TRIGGER_HORIZON_MS: "240000" };

/** Opens a registry with a new database and NATS server. @param env configuration; default: {@link fastSchedule} */
export async function openTriggerRig(
  context: TestContext,
  env: Readonly<Record<string, string>> = fastSchedule,
  overrides: RegistryOverrides = {},
) {
  const natsUrl = (await startTestNats(context.onTestFinished)).url;
  const registry = await openTestRegistry({ natsUrl, env, overrides }, context.onTestFinished);
  const connection = closing(context, await connect({ servers: natsUrl }));
  return { context, natsUrl, registry, connection, address: registry.address };
}

/** A registry with a database and a NATS server, and a connection to the NATS server. */
export type TriggerRig = Awaited<ReturnType<typeof openTriggerRig>>;

/** Starts a notifier that polls for due trigger events every 20 ms. */
export const startTriggerNotifier = (rig: TriggerRig, more: Readonly<Record<string, string>> = {}) =>
  startNotifier(rig, { NOTIFIER_TRIGGER_POLL_MS: "20", ...more });

/** A message that a receiver received; `body` is the raw text, from which `json` is parsed. */
export interface TriggerRequest {
  readonly header: (name: string) => string;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: a parsed message, which the tests compare as a whole
  readonly json: any;
}

/** Parses a received message. @throws SyntaxError if its body is not JSON */
function parseRequest({ head, body }: ReceivedRequest): TriggerRequest {
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1] ?? "";
  return { header, body: body.toString(), json: JSON.parse(body.toString()) };
}

/** Starts a receiver that replies with the status that `statusOf` returns for a message (by default 204). */
export async function startTriggerReceiver(
  { context }: Pick<TriggerRig, "context">,
  statusOf: (request: TriggerRequest) => number = () => 204,
) {
  const accepted: TriggerRequest[] = [];
  const receiver = await startReceiver(context, (socket: TLSSocket, raw: ReceivedRequest) => {
    const request = parseRequest(raw);
    const status = statusOf(request);
    if (status < 300) accepted.push(request);
    socket.end(`HTTP/1.1 ${status} Status\r\nContent-Length: 0\r\n\r\n`);
  });
  return {
    url: receiver.url,
    /** The messages to which the receiver replied with a 2xx status. */
    accepted,
    requests: () => receiver.requests.map(parseRequest),
  };
}

type NewTrigger = Pick<CreateTriggerRequest, "url"> & Partial<Pick<CreateTriggerRequest, "format" | "events">>;

/** Creates a store with a trigger. @returns their ids and the trigger's secret */
export async function createStoreWithTrigger({ registry }: Pick<TriggerRig, "registry">, trigger: NewTrigger) {
  const storeId = await createTestStore(registry);
  return { storeId, ...(await addTrigger({ registry }, storeId, trigger)) };
}

/** Creates a trigger. @returns its id and secret */
export async function addTrigger({ registry }: Pick<TriggerRig, "registry">, storeId: string, trigger: NewTrigger) {
  const created = await registry.triggers.createTrigger(trigger, inStore(storeId));
  return { triggerId: created.trigger?.triggerId ?? "", secret: created.secret };
}

/** Returns a trigger. @throws Error if it does not exist */
export async function triggerOf({ registry }: Pick<TriggerRig, "registry">, storeId: string, triggerId: string) {
  const { triggers } = await registry.triggers.listTriggers({}, inStore(storeId));
  const found = triggers.find((one) => one.triggerId === triggerId);
  if (found === undefined) throw new Error(`no trigger ${triggerId}`);
  return found;
}

/** Returns the signature that a receiver computes from the headers and the raw body, as Standard Webhooks specifies. */
export function expectedSignature(secret: string, { header, body }: TriggerRequest): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const content = `${header("webhook-id")}.${header("webhook-timestamp")}.${body}`;
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}
