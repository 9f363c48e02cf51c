import { EventType } from "#gen/events/v1/certificate_event_pb.js";

/** The events of webhook format v1 (INTERFACE.md §9). Format v2 has all events. */
export const v1Events: readonly EventType[] = [
  EventType.ISSUED,
  EventType.VERIFIED,
  EventType.TRANSFERRED,
  EventType.REPORTED,
];
