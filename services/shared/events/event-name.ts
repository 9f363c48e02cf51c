import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { namedValues, valueName } from "../enums/named-values.ts";

const types = new Map<string, EventType>(Object.entries(namedValues(EventType)));

/** The types of all events. */
export const eventTypes: readonly EventType[] = [...types.values()];

/** The public names of all events (INTERFACE.md §6). */
export const eventNames: readonly string[] = [...types.keys()];

/** Returns the type of the event with this public name; undefined for any other text. */
export function eventTypeOf(name: string): EventType | undefined {
  return types.get(name);
}

/**
 * Returns the public name of an event (INTERFACE.md §6): `issued`, `verified`, …
 *
 * @throws Error for an unknown type
 */
export function eventName(type: EventType): string {
  const name = valueName(EventType, type);
  if (name === undefined) throw new Error(`unknown event type ${type}`);
  return name;
}
