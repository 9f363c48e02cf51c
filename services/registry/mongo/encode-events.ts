import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Binary } from "mongodb";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { formatSerial } from "../certificates/serial.ts";
import type { StoreDraft } from "../certificates/store-draft.ts";
import type { OutboxDocument } from "./documents.ts";

/** The outbox documents of a draft's events, with the finished public JSON of each certificate. */
export function encodeEvents(draft: StoreDraft): OutboxDocument[] {
  const { store } = draft;
  return draft.events.map(({ id, type, certificate }) => {
    const event = create(CertificateEventSchema, {
      id,
      storeId: store.id,
      shop: store.shop,
      type,
      occurredAt: timestampFromDate(certificate.updatedAt),
      certificateId: certificate.id,
      serial: formatSerial(certificate.serial),
      certificateJson: draft.render(certificate),
    });
    return {
      _id: id,
      store: store.id,
      at: certificate.updatedAt,
      certificate: certificate.id,
      type,
      event: new Binary(toBinary(CertificateEventSchema, event)),
    };
  });
}
