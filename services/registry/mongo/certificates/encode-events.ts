import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Binary } from "mongodb";
import { partitionOf } from "#shared/nats/event-stream.ts";
import { encodeEvent } from "../../certificates/encode-event.ts";
import { EventTooLarge } from "../../certificates/event-too-large.ts";
import type { DraftedMessage, StoreDraft } from "../../certificates/store-draft.ts";
import type { OutboxDocument } from "../documents/documents.ts";

/** An encoded event or manual send, and the listen token that it is for, if any. */
interface EncodedMessage extends Pick<DraftedMessage, "listener"> {
  readonly document: OutboxDocument;
}

/**
 * Encodes a draft's events, followed by its manual sends, as outbox documents that contain each certificate's rendered
 * public JSON.
 *
 * @throws EventTooLarge if an event has more bytes than `maxEventBytes`
 */
export function encodeEvents(
  draft: StoreDraft,
  { maxEventBytes, epoch }: { readonly maxEventBytes: number; readonly epoch: string },
): EncodedMessage[] {
  const { store } = draft;
  const events = draft.events.map(({ id, type, certificate, traceparent }): DraftedMessage => {
    const { updatedAt } = certificate;
    return { id, type, certificate, occurredAt: updatedAt, at: updatedAt, requestedBy: "", traceparent };
  });
  const partition = partitionOf(store.id);
  return [...events, ...draft.messages].map((message) => {
    const { id, type, certificate, at, requestedBy, traceparent, listener } = message;
    const sent = { requestedBy, queuedAt: timestampFromDate(at), epoch };
    const bytes = encodeEvent(store, message, draft.render(certificate), sent);
    if (bytes.length > maxEventBytes) throw new EventTooLarge(bytes.length, maxEventBytes);
    const document = {
      _id: id,
      store: store.id,
      partition,
      at,
      storedAt: draft.now,
      certificate: certificate.id,
      type,
      event: new Binary(bytes),
      ...(traceparent !== "" && { traceparent }),
    };
    return { document, listener };
  });
}
