import { fromBinary } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { type PublicCertificate, parseCertificate } from "./public-certificate.ts";
import type { TestDatabase } from "./test-database.ts";

/** An event that is still in the outbox, because it has no outcome yet. */
export interface WaitingEvent {
  readonly id: string;
  /** Event type, such as `REVOKED`. */
  readonly type: string;
  readonly occurredAt: string;
  readonly certificateId: string;
  readonly requestedBy: string;
  /** Public JSON of the certificate, as encoded in the event. */
  readonly json: string;
  readonly certificate: PublicCertificate;
}

/** Returns a store's events that are still in the outbox, in the order of the store's clock. */
export async function waitingEvents(database: TestDatabase, storeId: string): Promise<WaitingEvent[]> {
  const documents = await database.collections.outbox.find({ store: storeId }).sort({ at: 1 }).toArray();
  return documents.map(({ event: bytes }) => {
    const { id, type, occurredAt, certificateId, certificateJson, requestedBy } = fromBinary(
      CertificateEventSchema,
      bytes.value(),
    );
    return {
      id,
      type: EventType[type] ?? String(type),
      occurredAt: occurredAt === undefined ? "" : timestampDate(occurredAt).toISOString(),
      certificateId,
      requestedBy,
      json: Buffer.from(certificateJson).toString("utf8"),
      certificate: parseCertificate(certificateJson),
    };
  });
}
