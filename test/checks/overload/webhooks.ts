import { readEvents, readOutcomes } from "../webhooks/expected-state.ts";
import { settle } from "../webhooks/settle.ts";
import type { OverloadRig } from "./measure.ts";

/** Events of the store whose certificates changed, and their deliveries. */
export interface WebhookCounts {
  readonly events: number;
  /** Events that were not delivered, whatever the outcome. */
  readonly undelivered: number;
}

// Longer than JetStream takes to redeliver a message.
const quietMs = 45_000;

/** Waits until no delivery is in progress, then counts the events and their outcomes. */
export async function countWebhooks({ stack, stores, signal, log }: OverloadRig): Promise<WebhookCounts> {
  const { collections, nats } = stack;
  await settle({ collections, natsUrl: nats.url, quietMs, signal, log });
  const events = (await readEvents(collections)).filter(({ storeId }) => storeId === stores.changing.id);
  const outcomes = await readOutcomes(collections);
  const undelivered = events.filter(({ id }) => outcomes.get(id)?.kind !== "delivered");
  return { events: events.length, undelivered: undelivered.length };
}
