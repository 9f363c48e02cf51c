import { setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Clock } from "#shared/time/clock.ts";
import type { OutboxEntry } from "./outbox.ts";
import { Relay, type RelayDeps } from "./relay.ts";

function entry(eventId: string): OutboxEntry {
  const event = new Uint8Array();
  return { eventId, storeId: "sto_1", certificateId: eventId, type: EventType.ISSUED, event };
}

/** A relay over an outbox in memory, with a clock that jumps over every pause; `log` tells what happened. */
function stand(changes: Partial<RelayDeps> = {}) {
  const log: string[] = [];
  const waiting = [entry("a"), entry("b")];
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    sleep: async (durationMs) => {
      nowMs += durationMs;
      await turn();
    },
  };
  const relay = new Relay({
    outbox: {
      oldest: async (countMax) => waiting.slice(0, countMax),
      remove: async (eventIds) => {
        log.push(`remove ${eventIds.join(" ")}`);
        waiting.splice(0, eventIds.length);
      },
    },
    lease: {
      hold: async () => true,
      release: async () => void log.push("release"),
    },
    prepare: async () => void log.push("prepare"),
    publish: async ({ eventId }) => void log.push(`publish ${eventId}`),
    clock,
    logger: pino({ level: "silent" }),
    ...changes,
  });
  onTestFinished(() => relay.stop());
  /** Lets it work for a while. */
  const work = async (turns = 50) => {
    for (let count = 0; count < turns; count++) await turn();
  };
  return { log, relay, waiting, work };
}

test("makes the stream, publishes what waits, removes it, and gives the lease back when it stops", async () => {
  const { log, relay, work } = stand();
  relay.start();
  await work();
  await relay.stop();
  expect(log).toEqual(["prepare", "publish a", "publish b", "remove a b", "release"]);
});

test("does nothing while another holds the lease", async () => {
  let isOurs = false;
  const { log, relay, work } = stand({
    lease: { hold: async () => isOurs, release: async () => undefined },
  });
  relay.start();
  await work();
  expect(log).toEqual([]);
  isOurs = true;
  await work();
  expect(log).toContain("remove a b");
});

test("asks for the lease again every second, and stops when it is lost", async () => {
  let asked = 0;
  const { log, relay, waiting, work } = stand({
    lease: { hold: async () => ++asked <= 3, release: async () => undefined },
  });
  relay.start();
  await work(500);
  expect(asked).toBeGreaterThan(3);
  log.length = 0;
  waiting.push(entry("c"));
  await work();
  expect(log).toEqual([]);
});

test("after a failure keeps what was not stored, and makes the stream again before it goes on", async () => {
  let failures = 2;
  const published: string[] = [];
  const { log, relay, work } = stand({
    publish: async ({ eventId }) => {
      if (eventId === "b" && failures-- > 0) throw new Error("no stream");
      published.push(eventId);
    },
  });
  relay.start();
  await work();
  expect(published).toEqual(["a", "b"]);
  expect(log).toEqual(["prepare", "remove a", "prepare", "prepare", "remove b"]);
});

test.each(["outbox", "lease", "stream"])(
  "waits and tries again while the %s cannot be reached",
  async (what) => {
    let failures = 0;
    const waiting = [entry("a")];
    const mayFail = async (part: string) => {
      if (part === what && ++failures <= 3) throw new Error("away");
    };
    const { relay, work } = stand({
      outbox: {
        oldest: async () => {
          await mayFail("outbox");
          return [...waiting];
        },
        remove: async () => void waiting.pop(),
      },
      lease: {
        hold: async () => {
          await mayFail("lease");
          return true;
        },
        release: async () => undefined,
      },
      prepare: () => mayFail("stream"),
    });
    relay.start();
    await work();
    expect(failures).toBeGreaterThan(3);
    expect(waiting).toEqual([]);
  },
);
