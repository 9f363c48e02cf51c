import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { signatureOf } from "../../harness/receiver/received-messages.ts";
import type { LoggedRequest } from "../../harness/receiver/request-log.ts";
import type { ExpectedEvent } from "./expected-state.ts";
import type { StoreWebhook } from "./webhook-stores.ts";

/** The fields of a store that determine its messages. */
export interface SendingStore {
  readonly shop: string;
  readonly webhook: StoreWebhook | null;
}

// The message bodies (INTERFACE.md §4.2). Of a v2 certificate, only the fields that identify its state are checked.
const envelope = { event: z.string(), shop: z.string(), occurredAt: z.string() };
const bodySchema = z.discriminatedUnion("version", [
  z.strictObject({
    version: z.literal(1),
    ...envelope,
    certificate: z.strictObject({ id: z.string(), serial: z.string() }),
  }),
  z.strictObject({
    version: z.literal(2),
    ...envelope,
    certificate: z.looseObject({ id: z.string(), updatedAt: z.string() }),
  }),
]);

/**
 * Returns how a request differs from the expected message of an event, or undefined when they match. If the request is
 * incomplete because its sender was killed, checks only the method and the path.
 */
export function messageProblem(
  request: LoggedRequest,
  event: ExpectedEvent,
  store: SendingStore | undefined,
): string | undefined {
  const webhook = store?.webhook ?? null;
  if (store === undefined || webhook === null) return "its store has no webhook";
  if (request.method !== "POST" || request.path !== webhook.path)
    return `it was sent as ${request.method} ${request.path}`;
  if (!request.isComplete) return undefined;
  const signatures = [...request.headers].filter(([name]) => name.startsWith("x-service-signature"));
  // INTERFACE.md §5 specifies the signature.
  const signed = webhook.secret && ["x-service-signature", signatureOf(request.body, webhook.secret)];
  if (!isDeepStrictEqual(signatures, signed ? [signed] : []))
    return `its signatures are wrong: ${signatures.join("; ") || "none"}`;
  const body = parse(request.body);
  if (body === undefined) return `its body is not a message: ${request.body.toString("utf8").slice(0, 200)}`;
  const { version, certificate } = body;
  const is = { version: `v${version}`, event: body.event, shop: body.shop, at: body.occurredAt };
  const wanted = { version: webhook.format, event: event.name, shop: store.shop, at: event.at };
  const isRight =
    Object.entries(wanted).every(([name, value]) => is[name as keyof typeof is] === value) &&
    certificate.id === event.certificateId &&
    (version === 1 || certificate.updatedAt === event.at);
  return isRight ? undefined : `its content is wrong: ${JSON.stringify({ ...is, certificate })}`;
}

function parse(bytes: Buffer): z.output<typeof bodySchema> | undefined {
  try {
    return bodySchema.parse(JSON.parse(bytes.toString("utf8")));
  } catch {
    return undefined;
  }
}
