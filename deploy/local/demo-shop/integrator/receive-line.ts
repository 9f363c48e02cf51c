import { z } from "zod";
import { type FullMessage, fetchHandler } from "../../../../services/client/index.ts";
import type { Mirror } from "./mirror.ts";

/** A webhook message as the demo receiver has logged it. */
const receivedLine = z.object({
  receivedAt: z.iso.datetime(),
  deliveryId: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

/** A message that the integrator's server has verified. */
export interface IntegratorMessage {
  readonly message: FullMessage;
  readonly body: string;
  readonly deliveryId: string;
  /** Value of `X-Service-Signature`; the empty string when the header is missing. */
  readonly signature: string;
  readonly receivedAt: Date;
  /** When the mirror saved the certificate; null if it did not, for example because it was paused. */
  readonly savedAt: Date | null;
}

interface IntegratorDeps {
  readonly mirror: Mirror;
  /** Returns the valid signing secrets: two during a rotation. */
  readonly readSecrets: () => Promise<readonly string[]>;
  readonly now: () => Date;
}

/**
 * Handles a message that the demo receiver has logged, as an integrator's server would: with a handler of the client
 * library, which verifies the signature of the raw body.
 *
 * @returns undefined for a line that is not a logged message, a wrong signature, a message without a full certificate,
 * or a message that the mirror failed to save
 */
export async function receiveLine(line: string, deps: IntegratorDeps): Promise<IntegratorMessage | undefined> {
  const received = parseReceivedLine(line);
  if (received === undefined) return undefined;
  const { body, headers, deliveryId } = received;
  let verified: Pick<IntegratorMessage, "message" | "savedAt"> | undefined;
  const handle = fetchHandler({
    secret: await deps.readSecrets(),
    onMessage: async (message) => {
      const isSaved = await deps.mirror.receive(message);
      if (message.version === 2) verified = { message, savedAt: isSaved ? deps.now() : null };
    },
  });
  await handle(new Request("https://integrator.invalid/webhooks", { method: "POST", headers, body }));
  const signature = headers["x-service-signature"] ?? "";
  return verified && { ...verified, body, deliveryId, signature, receivedAt: new Date(received.receivedAt) };
}

/** Parses a line of the demo receiver's log. @returns undefined for any other format */
function parseReceivedLine(line: string): z.output<typeof receivedLine> | undefined {
  try {
    return receivedLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
