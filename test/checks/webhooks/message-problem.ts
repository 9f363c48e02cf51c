import { createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { RecordedRequest } from "./receiver/record.ts";
import type { TrueEvent } from "./truth.ts";
import type { CheckedWebhook } from "./webhook-stores.ts";

/** A store, as its messages show it. */
export interface SendingStore {
  readonly shop: string;
  readonly webhook: CheckedWebhook | null;
}

// INTERFACE.md §4.2; of the certificate what tells one state from another.
const envelope = { event: z.string(), shop: z.string(), occurredAt: z.string() };
const bodySchema = z.discriminatedUnion("version", [
  z.strictObject({
    ...{ version: z.literal(1), ...envelope },
    certificate: z.strictObject({ id: z.string(), serial: z.string() }),
  }),
  z.strictObject({
    ...{ version: z.literal(2), ...envelope },
    certificate: z.looseObject({ id: z.string(), updatedAt: z.string() }),
  }),
]);

/**
 * What is wrong with a request as the message of an event, or undefined. Of one that is not complete, because its sender
 * was killed or its receiver gone, only the beginning can be looked at.
 */
export function messageProblem(
  request: RecordedRequest,
  event: TrueEvent,
  store: SendingStore | undefined,
): string | undefined {
  const webhook = store?.webhook ?? null;
  if (store === undefined || webhook === null) return "its store has no URL";
  if (request.method !== "POST" || request.path !== webhook.path)
    return `it is ${request.method} ${request.path}`;
  if (!request.isComplete) return undefined;
  const signatures = [...request.headers].filter(([name]) => name.startsWith("x-service-signature"));
  if (!isDeepStrictEqual(signatures, signaturesOf(webhook.secret, request.body)))
    return `its signatures are wrong: ${signatures.join("; ") || "none"}`;
  return bodyProblem(request.body, event, { shop: store.shop, format: webhook.format });
}

// INTERFACE.md §5.
function signaturesOf(secret: string | null, body: Buffer): [name: string, value: string][] {
  if (secret === null) return [];
  const digest = createHmac("sha256", secret).update(body).digest("hex");
  return [["x-service-signature", `sha256=${digest}`]];
}

function bodyProblem(
  bytes: Buffer,
  event: TrueEvent,
  { shop, format }: { readonly shop: string; readonly format: CheckedWebhook["format"] },
): string | undefined {
  const body = parse(bytes);
  if (body === undefined) return `its body is no message: ${bytes.toString("utf8").slice(0, 200)}`;
  const { version, certificate } = body;
  const is = { version: `v${version}`, event: body.event, shop: body.shop, at: body.occurredAt };
  const wanted = { version: format, event: event.name, shop, at: event.at };
  const isRight =
    Object.entries(wanted).every(([name, value]) => is[name as keyof typeof is] === value) &&
    certificate.id === event.certificateId &&
    (version === 1 || certificate.updatedAt === event.at);
  return isRight ? undefined : `it tells of something else: ${JSON.stringify({ ...is, certificate })}`;
}

function parse(bytes: Buffer): z.output<typeof bodySchema> | undefined {
  try {
    return bodySchema.parse(JSON.parse(bytes.toString("utf8")));
  } catch {
    return undefined;
  }
}
