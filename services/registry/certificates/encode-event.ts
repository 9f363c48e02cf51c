import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { formatSerial } from "./serial.ts";
import type { DraftedMessage } from "./store-draft.ts";

/** What the encoded event contains besides what it is about. */
type Sent = Pick<MessageInitShape<typeof CertificateEventSchema>, "epoch" | "queuedAt" | "requestedBy">;

/** Encodes an event of a store, or a message that is sent manually. @param certificateJson the rendered certificate */
export function encodeEvent(
  store: { readonly id: string; readonly shop: string },
  { id, type, occurredAt, certificate }: Pick<DraftedMessage, "id" | "type" | "occurredAt" | "certificate">,
  certificateJson: Uint8Array,
  sent: Sent = {},
): Uint8Array {
  const event = create(CertificateEventSchema, {
    ...sent,
    id,
    storeId: store.id,
    shop: store.shop,
    type,
    occurredAt: timestampFromDate(occurredAt),
    certificateId: certificate.id,
    serial: formatSerial(certificate.serial),
    certificateJson,
  });
  return toBinary(CertificateEventSchema, event);
}
