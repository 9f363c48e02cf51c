import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { OutboxEntry } from "./outbox.ts";
import { publishBatch } from "./publish-batch.ts";

/** Entries named `<certificate><number>`, as `a1`. */
function entries(...names: string[]): OutboxEntry[] {
  return names.map((name) => ({
    eventId: name,
    storeId: "sto_1",
    certificateId: name.charAt(0),
    type: EventType.ISSUED,
    event: new Uint8Array(),
  }));
}

/** Remembers what begins and ends; fails for the ids given. */
function publisher(failing: readonly string[] = []) {
  const log: string[] = [];
  const publish = async ({ eventId }: OutboxEntry) => {
    log.push(`+${eventId}`);
    await turn();
    if (failing.includes(eventId)) throw new Error(`no ${eventId}`);
    log.push(`-${eventId}`);
  };
  return { log, publish };
}

describe("a batch", () => {
  test("is sent side by side, in its order, where the certificates differ", async () => {
    const { log, publish } = publisher();
    const { publishedIds, error } = await publishBatch(entries("a1", "b1", "c1"), publish);
    expect(log.slice(0, 3)).toEqual(["+a1", "+b1", "+c1"]);
    expect(publishedIds).toEqual(["a1", "b1", "c1"]);
    expect(error).toBeUndefined();
  });

  test("holds an event of a certificate back until the one before it is acknowledged", async () => {
    const { log, publish } = publisher();
    await publishBatch(entries("a1", "b1", "a2", "a3", "b2"), publish);
    const ofA = log.filter((line) => line.includes("a"));
    expect(ofA).toEqual(["+a1", "-a1", "+a2", "-a2", "+a3", "-a3"]);
    expect(log.indexOf("+b2")).toBeGreaterThan(log.indexOf("-b1"));
  });

  test("keeps a certificate's later events after a failure, and sends those of the others", async () => {
    const { log, publish } = publisher(["a2"]);
    const { publishedIds, error } = await publishBatch(entries("a1", "a2", "b1", "a3", "b2"), publish);
    expect(publishedIds.toSorted()).toEqual(["a1", "b1", "b2"]);
    expect(error).toEqual(new Error("no a2"));
    expect(log).not.toContain("+a3");
  });

  test("tells the first of several failures", async () => {
    const { publish } = publisher(["a1", "b1"]);
    expect((await publishBatch(entries("a1", "b1"), publish)).error).toEqual(new Error("no a1"));
  });

  test("without entries does nothing", async () => {
    const { log, publish } = publisher();
    expect(await publishBatch([], publish)).toEqual({ publishedIds: [], error: undefined });
    expect(log).toEqual([]);
  });
});
