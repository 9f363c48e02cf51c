import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";

/** Returns whether an event or a delivery with this id is a test message, which a person has sent. */
export function isTestId(id: string): boolean {
  return id.startsWith("tst_");
}

/** Returns the time of an event. @throws Error if the event has no timestamp */
export function occurredAt({ occurredAt: time }: Pick<CertificateEvent, "occurredAt">): Date {
  if (time === undefined) throw new Error("the event has no timestamp");
  return timestampDate(time);
}
