import { z } from "zod";

/** What the receiver's process is told: first its certificate, then how many messages to wait for. */
export const receiverRequest = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open"), certPem: z.string(), keyPem: z.string() }),
  z.object({ kind: z.literal("collect"), count: z.number() }),
]);

/** One of the {@link receiverRequest}s. */
export type ReceiverRequest = z.output<typeof receiverRequest>;

/** What it answers "open" with. */
export const receiverOpened = z.object({ port: z.number() });

/** A message of the notifier's that came. Times are milliseconds since the Unix epoch. */
const arrival = z.object({ certificateId: z.string(), occurredAt: z.number(), arrivedAt: z.number() });

/** What it answers "collect" with: all since the last time. */
export const collected = z.object({
  arrivals: z.array(arrival),
  /** Requests, the bare loop's among them. */
  requests: z.number(),
  /** TLS connections. */
  connections: z.number(),
  /** Those of them that went on with an earlier one's session. */
  resumed: z.number(),
});

/** A message of the notifier's that came. */
export type Arrival = z.output<typeof arrival>;

/** What the receiver has seen since it was last asked. */
export type Collected = z.output<typeof collected>;
