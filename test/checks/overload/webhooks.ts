import { readEvents, readOutcomes } from "../webhooks/expected-state.ts";
import { settle } from "../webhooks/settle.ts";
import type { OverloadRig } from "./measure.ts";

/** Event counts of the store whose certificates the check changes. */
export interface WebhookCounts {
  readonly events: number;
  /** Events without an outcome or with an outcome other than `delivered`. */
  readonly undelivered: number;
}

// Longer than the 30 s after which JetStream redelivers a message.
const quietMs = 45_000;

/** Waits until no further outcome is expected or the signal aborts, then counts the events. */
export async function countWebhooks({ stack, stores, signal, log }: OverloadRig): Promise<WebhookCounts> {
  const { collections, nats } = stack;
  await settle({ collections, natsUrl: nats.url, quietMs, signal, log });
  const events = (await readEvents(collections)).filter(({ storeId }) => storeId === stores.changing.id);
  const outcomes = await readOutcomes(collections);
  const undelivered = events.filter(({ id }) => outcomes.get(id)?.kind !== "delivered");
  return { events: events.length, undelivered: undelivered.length };
}
