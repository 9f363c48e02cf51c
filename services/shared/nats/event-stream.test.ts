import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { eventName } from "../events/event-name.ts";
import { consumerName, eventSubject, partitionCount, partitionOf, streamName } from "./event-stream.ts";

describe("a store's partition", () => {
  // If a store's partition changed, an event that is already in the stream could be published under a second subject.
  test.each([
    ["sto_000000000000000000000000", 13],
    ["sto_0123456789abcdefghjkmnpq", 5],
    ["sto_zzzzzzzzzzzzzzzzzzzzzzzz", 14],
    ["sto_a", 4],
    ["größe", 7],
    ["", 2],
  ])("for the store id %j is always %i", (storeId, partition) => {
    expect(partitionOf(storeId)).toBe(partition);
  });

  test("is one of sixteen, among which stores are distributed evenly", () => {
    const counts = new Array<number>(partitionCount).fill(0);
    for (let store = 0; store < 16_000; store++) {
      const partition = partitionOf(`sto_${store}`);
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    expect(counts).toHaveLength(16);
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1_150);
  });
});

describe("JetStream naming", () => {
  test("keeps the names of the stream and of its consumers", () => {
    expect(streamName).toBe("CERTIFICATES");
    expect(consumerName(7)).toBe("notifier-7");
  });

  // The names in INTERFACE.md §6.
  test.each([
    [EventType.ISSUED, "issued"],
    [EventType.VERIFIED, "verified"],
    [EventType.TRANSFERRED, "transferred"],
    [EventType.REPORTED, "reported"],
    [EventType.REVOKED, "revoked"],
    [EventType.REACTIVATED, "reactivated"],
  ])("names event type %i '%s'", (type, name) => {
    expect(eventName(type)).toBe(name);
  });

  test.each([
    ["of this version", EventType.TRANSFERRED, 3],
    ["that only a later version knows", 99 as EventType, 99],
  ])("identifies an event type %s by its number in the event's subject", (_which, type, number) => {
    expect(eventSubject("sto_a", type, "evt_1")).toBe(`certificates.${partitionOf("sto_a")}.sto_a.${number}.evt_1`);
  });

  test.each([0, 99])("rejects the unknown event type %i", (type) => {
    expect(() => eventName(type)).toThrow("unknown event type");
  });
});
