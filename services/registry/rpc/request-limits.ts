import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import { badRequest } from "#shared/errors/service-error.ts";

/** Converts an optional time. @throws ServiceError `bad_request` naming the field when the time is out of range */
export function dateOf(field: string, timestamp: Timestamp | undefined): Date | undefined {
  if (timestamp === undefined) return undefined;
  const date = timestampDate(timestamp);
  if (Number.isNaN(date.getTime())) throw badRequest(field, "is out of range");
  return date;
}

/** Returns a known type of events. @throws ServiceError `bad_request` naming the field for any other value */
export function knownEvent(field: string, type: EventType): EventType {
  if (valueName(EventType, type) === undefined) throw badRequest(field, "contains an unknown event type");
  return type;
}

/** @throws ServiceError `bad_request` naming the field when a list is empty or has more than `max` entries */
export function checkCount(field: string, count: number, max: number): void {
  if (count < 1 || count > max) throw badRequest(field, `must have 1 to ${max} entries`);
}

/**
 * Returns the page size: `limit`, or the default if `limit` is 0.
 *
 * @throws ServiceError `bad_request` if `limit` exceeds the maximum
 */
export function pageSize(limit: number, { max = 100, byDefault = 50 } = {}): number {
  if (limit > max) throw badRequest("limit", `must be at most ${max}`);
  return limit || byDefault;
}
