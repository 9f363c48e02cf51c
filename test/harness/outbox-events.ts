import { fromBinary } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { type PublicCertificate, parseCertificate } from "./public-certificate.ts";
import type { TestDatabase } from "./test-database.ts";

/** An event that waits to be published. */
export interface WaitingEvent {
  readonly id: string;
  /** As `REVOKED`. */
  readonly type: string;
  readonly occurredAt: string;
  readonly certificateId: string;
  readonly requestedBy: string;
  /** The certificate's public JSON, as it was encoded. */
  readonly json: string;
  readonly certificate: PublicCertificate;
}

/** A store's events that nobody has published yet, in the order of its clock. */
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
