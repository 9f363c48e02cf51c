import { Binary } from "mongodb";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { partitionOf } from "#shared/nats/event-stream.ts";
import type { HistoryDocument, OutboxDocument } from "../../../services/registry/mongo/documents/documents.ts";
import { newId } from "../../../services/registry/values/identifiers.ts";

// As long as the encoded event of a benchmark certificate; the database does not interpret the content.
const event = new Binary(new Uint8Array(700));

/** Returns the outbox entry and the history entry of a change, with the structure and size of the registry's. */
export function eventDocuments(
  change: Pick<HistoryDocument, "store" | "certificate" | "at">,
  type: EventType.ISSUED | EventType.TRANSFERRED,
): { readonly outbox: OutboxDocument; readonly history: HistoryDocument } {
  const common = { _id: newId("evt"), type, ...change };
  const cause = type === EventType.ISSUED ? "import" : "in_app";
  const partition = partitionOf(change.store);
  return {
    outbox: { ...common, partition, storedAt: change.at, event },
    history: { ...common, cause, actor: "unknown" },
  };
}
