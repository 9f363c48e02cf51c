import { z } from "zod";

const line = z.object({
  deliveryId: z.string(),
  verified: z.boolean(),
  body: z.string(),
});

const message = z.object({
  version: z.number(),
  event: z.string(),
  shop: z.string(),
  occurredAt: z.string(),
  certificate: z.object({ id: z.string(), updatedAt: z.string() }).loose(),
});

/** A message as the receiver got it. */
export interface ReceivedMessage {
  /** The event's id, from the message's header. */
  readonly deliveryId: string;
  /** Whether the receiver found the signature right, from the raw body. */
  readonly verified: boolean;
  /** The raw body. */
  readonly body: string;
  readonly message: z.output<typeof message>;
}

/** The messages in the receiver's log, in the order in which they came. */
export function readReceived(log: string): ReceivedMessage[] {
  return log
    .split("\n")
    .filter((text) => text !== "")
    .map((text) => {
      const entry = line.parse(JSON.parse(text));
      return { ...entry, message: message.parse(JSON.parse(entry.body)) };
    });
}
