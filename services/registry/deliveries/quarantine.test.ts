import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { defaultClaimLifeMs } from "./claim-state.ts";
import type { DeliveryRecords, StoredClaim } from "./delivery.ts";
import { type Quarantine, quarantineMessage, quarantineRefusedEvent } from "./quarantine.ts";

const nowMs = Date.parse("2026-05-01T12:00:00.000Z");
const claimed = (ageMs: number, isSettled = false): StoredClaim => ({
  isNew: false,
  claimedAt: new Date(nowMs - ageMs),
  isSettled,
  attemptToken: "token_1",
});

/** Returns fakes for an event with this claim, and the calls to them. */
function fakesFor(claim: StoredClaim, { isRenewed = false, isInOutbox = true } = {}) {
  const calls: string[] = [];
  const records: DeliveryRecords = {
    claimLifeMs: defaultClaimLifeMs,
    claim: async () => [claim],
    renew: async () => new Set(),
    settle: async (outcomes) => {
      calls.push(...outcomes.map(({ kind, eventId }) => `${kind} ${eventId}`));
      return new Set(isRenewed ? [] : outcomes.map(({ eventId }) => eventId));
    },
    release: async (eventIds) => void calls.push(`release ${eventIds}`),
    webhooksOf: async () => ({ webhooks: new Map(), now: new Date(nowMs) }),
  };
  const quarantine: Quarantine = {
    keep: async ({ messageId: eventId }) => {
      if (!isInOutbox) return undefined;
      calls.push("keep");
      const ids = { eventId, storeId: "sto_1", certificateId: "crt_1" };
      return { ...ids, type: EventType.ISSUED, requestedBy: "", queuedAt: undefined, attemptToken: "" };
    },
    newest: async () => [],
  };
  return { calls, records, quarantine };
}

/** Quarantines a message whose event has this claim; returns the calls to the fakes, and the error or "done". */
async function quarantineWith(claim: StoredClaim, isRenewed = false) {
  const { calls, records, quarantine } = fakesFor(claim, { isRenewed });
  const message = {
    subject: "s",
    sequence: 1n,
    messageId: "evt_1",
    data: new Uint8Array(),
    problem: reason("event_malformed"),
  };
  const done = await quarantineMessage(quarantine, records, message).then(
    () => "done",
    (error: unknown) => error,
  );
  return { calls, done };
}

test.each([
  ["unclaimed", { ...claimed(0), isNew: true }, "skipped evt_1"],
  ["settled but not released", claimed(5, true), "release evt_1"],
  ["claimed by a sender that crashed", claimed(60_000), "interrupted evt_1"],
])("unblocks the certificate of an event that is %s", async (_state, claim, call) => {
  expect(await quarantineWith(claim)).toEqual({ calls: ["keep", call], done: "done" });
});

test("quarantines a message, but throws `unavailable`, while its event may be in flight", async () => {
  const { calls, done } = await quarantineWith(claimed(59_999));
  expect([calls, done]).toEqual([["keep"], expect.objectContaining({ code: "unavailable" })]);
});

test("throws `unavailable` if an event's claim is renewed before the event is settled as interrupted", async () => {
  const { done } = await quarantineWith(claimed(60_000), true);
  expect(done).toMatchObject({ code: "unavailable" });
});

test.each([
  ["is kept and settled", true, ["keep", "skipped evt_1"]],
  ["is not kept once it has left the outbox, because an erasure may have settled it", false, []],
])("an event that NATS refuses %s", async (_what, isInOutbox, expected) => {
  const { calls, records, quarantine } = fakesFor({ ...claimed(0), isNew: true }, { isInOutbox });
  const event = { eventId: "evt_1", storeId: "sto_1", type: EventType.ISSUED, event: new Uint8Array() };
  const isKept = await quarantineRefusedEvent(quarantine, records, event, reason("event_malformed"));
  expect([isKept, calls]).toEqual([isInOutbox, expected]);
});
