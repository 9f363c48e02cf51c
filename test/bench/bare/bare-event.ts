import { Binary } from "mongodb";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { HistoryDocument, OutboxDocument } from "../../../services/registry/mongo/documents.ts";
import { newId } from "../../../services/registry/values/identifiers.ts";

// As long as an encoded event of the benchmark's certificates; what stands in it makes no difference to the database.
const event = new Binary(new Uint8Array(700));

/** What a change writes beside its certificate: an outbox entry and a line of history, of the registry's shape and size. */
export function bareEvent(
  change: Pick<HistoryDocument, "store" | "certificate" | "at">,
  type: EventType.ISSUED | EventType.TRANSFERRED,
): { readonly outbox: OutboxDocument; readonly history: HistoryDocument } {
  const common = { _id: newId("evt"), type, ...change };
  const cause = type === EventType.ISSUED ? "import" : "in_app";
  return { outbox: { ...common, event }, history: { ...common, cause, actor: "unknown" } };
}
