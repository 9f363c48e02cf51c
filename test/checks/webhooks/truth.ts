import { eventName } from "#shared/events/event-name.ts";
import type { Collections } from "../../../services/registry/mongo/collections.ts";

/** Something that happened to a certificate. */
export interface TrueEvent {
  readonly id: string;
  readonly storeId: string;
  readonly certificateId: string;
  /** As `issued`. */
  readonly name: string;
  /** The store's clock; ISO 8601 in one format, so that the order of the texts is that of the times. */
  readonly at: string;
}

/** What the log says of an event. */
export interface LoggedOutcome {
  readonly kind: string;
  /** 0 when no reply came. */
  readonly httpStatus: number;
  /** When it was recorded; ISO 8601. */
  readonly at: string;
}

/** Everything that happened, read from the database past everything that is under test. */
export function readEvents({ history }: Pick<Collections, "history">): Promise<TrueEvent[]> {
  return history
    .find()
    .map(({ _id, store, certificate, type, at }) => ({
      ...{ id: _id, storeId: store, certificateId: certificate },
      ...{ name: eventName(type), at: at.toISOString() },
    }))
    .toArray();
}

/** The outcomes that are recorded, by the events' ids. */
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
