import { EventType } from "#gen/events/v1/certificate_event_pb.js";

/** The types of all events. */
export const eventTypes: readonly EventType[] = Object.values(EventType).filter(
  (type) => typeof type === "number" && type !== EventType.UNSPECIFIED,
);

/**
 * Returns the public name of an event (INTERFACE.md §6): `issued`, `verified`, …
 *
 * @throws Error for an unknown type
 */
export function eventName(type: EventType): string {
  const name = EventType[type];
  if (name === undefined || type === EventType.UNSPECIFIED) throw new Error(`unknown event type ${type}`);
  return name.toLowerCase();
}
