import { fromBinary } from "@bufbuild/protobuf";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";

/**
 * Returns who requested a manual send; the empty string for any other event, and for an event that cannot be decoded.
 *
 * @param event an encoded events.v1.CertificateEvent
 */
export function requestedByOf(event: Uint8Array): string {
  try {
    return fromBinary(CertificateEventSchema, event).requestedBy;
  } catch {
    return "";
  }
}
