import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Binary } from "mongodb";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { newId } from "../certificates/identifiers.ts";
import { renderCertificate } from "../certificates/public-json.ts";
import { formatSerial } from "../certificates/serial.ts";
import type { StoreDraft } from "../certificates/store-draft.ts";
import { renderSettingsOf } from "../stores/store.ts";
import type { OutboxDocument } from "./documents.ts";

/** The outbox documents of a draft's events, with the finished public JSON of each certificate. */
export function encodeEvents(draft: StoreDraft, serviceVerifyUrl: string): OutboxDocument[] {
  const { store } = draft;
  const settings = renderSettingsOf(store, serviceVerifyUrl);
  return draft.events.map(({ type, certificate }) => {
    const event = create(CertificateEventSchema, {
      id: newId("evt"),
      storeId: store.id,
      shop: store.shop,
      type,
      occurredAt: timestampFromDate(certificate.updatedAt),
      certificateId: certificate.id,
      serial: formatSerial(certificate.serial),
      certificateJson: renderCertificate(certificate, settings, certificate.updatedAt),
    });
    return {
      _id: event.id,
      store: store.id,
      at: certificate.updatedAt,
      certificate: certificate.id,
      type,
      event: new Binary(toBinary(CertificateEventSchema, event)),
    };
  });
}
