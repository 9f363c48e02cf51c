import { eventName } from "#shared/events/event-name.ts";
import type { Collections } from "../../../services/registry/mongo/documents/collections.ts";

/** An event in a certificate's history. */
export interface ExpectedEvent {
  readonly id: string;
  readonly storeId: string;
  readonly certificateId: string;
  /** Name of the event in messages, such as `issued`. */
  readonly name: string;
  /** Time of the store clock in ISO 8601, always with milliseconds, so that string order is time order. */
  readonly at: string;
}

/** The outcome of an event in the delivery log. */
export interface LoggedOutcome {
  readonly kind: string;
  /** 0 if there was no reply. */
  readonly httpStatus: number;
  /** When the outcome was recorded, in ISO 8601. */
  readonly at: string;
}

/** Reads every event from the change history in the database. */
export function readEvents({ history }: Pick<Collections, "history">): Promise<ExpectedEvent[]> {
  return history
    .find()
    .map(({ _id, store, certificate, type, at }) => ({
      id: _id,
      storeId: store,
      certificateId: certificate,
      name: eventName(type),
      at: at.toISOString(),
    }))
    .toArray();
}

/** Reads the recorded outcomes, by event id. */
export async function readOutcomes({
  deliveries,
}: Pick<Collections, "deliveries">): Promise<ReadonlyMap<string, LoggedOutcome>> {
  const documents = await deliveries.find({ outcome: { $ne: null } }).toArray();
  return new Map(
    documents.flatMap(({ _id, outcome }) => {
      if (outcome === null) return [];
      const { kind, httpStatus, at } = outcome;
      return [[_id, { kind, httpStatus, at: at.toISOString() }] as const];
    }),
  );
}
