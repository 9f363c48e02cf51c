import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Webhook } from "../stores/webhooks.ts";
import { claimDeliveries, type Restores } from "./claim-deliveries.ts";
import { defaultClaimLifeMs } from "./claim-state.ts";
import type { DeliveryRecords, DeliveryRequest, OutcomeToStore, StoredClaim } from "./delivery.ts";

const nowMs = Date.parse("2026-05-01T12:00:00.000Z");
const v1: Webhook = { url: "https://receiver.test/", format: "v1", secrets: null };
const v2: Webhook = { url: "https://receiver.test/", format: "v2", secrets: { active: "whsec_1", others: [] } };

const request = (type = EventType.ISSUED, eventId = "evt_1", storeId = "sto_1"): DeliveryRequest => ({
  eventId,
  storeId,
  certificateId: "crt_1",
  type,
  requestedBy: "",
  queuedAt: undefined,
  attemptToken: "token_1",
});

const days = (count: number) => count * 86_400_000;
const newClaim: StoredClaim = { isNew: true, claimedAt: new Date(nowMs), isSettled: false, attemptToken: "token_1" };
const earlier = (ageMs: number, isSettled = false, attemptToken = "token_2"): StoredClaim => ({
  isNew: false,
  claimedAt: new Date(nowMs - ageMs),
  isSettled,
  attemptToken,
});
/** A claim that the same attempt stored in an earlier call. */
const own = (ageMs: number, isSettled = false) => earlier(ageMs, isSettled, "token_1");

interface Fakes {
  /** Default: a webhook of format v2. */
  readonly webhook?: Webhook | null;
  readonly claimLifeMs?: number;
  readonly restores?: Restores;
  readonly deliveryLogDays?: number;
  readonly settleError?: Error;
  /** Whether another call settles or renews the claims before this call can. */
  readonly isTooLate?: boolean;
}

/** Claims the requested events with fake records, which return these claims and this webhook, and log their calls. */
async function claim(requests: DeliveryRequest[], claims: StoredClaim[], fakes: Fakes = {}) {
  const {
    webhook = v2,
    claimLifeMs = defaultClaimLifeMs,
    restores,
    deliveryLogDays,
    settleError,
    isTooLate = false,
  } = fakes;
  const settled: OutcomeToStore[] = [];
  const calls: string[] = [];
  const idsOf = (events: readonly { readonly eventId: string }[]) => events.map(({ eventId }) => eventId);
  const records: DeliveryRecords = {
    claimLifeMs,
    claim: async (claimable) => {
      calls.push(`claim ${idsOf(claimable)}`);
      return claims;
    },
    renew: async (resumable) => {
      calls.push(`renew ${idsOf(resumable)}`);
      return new Set(isTooLate ? [] : idsOf(resumable));
    },
    settle: async (outcomes) => {
      calls.push("settle");
      if (settleError !== undefined) throw settleError;
      settled.push(...outcomes);
      return new Set(isTooLate ? [] : idsOf(outcomes));
    },
    release: async (eventIds) => void calls.push(`release ${eventIds.join(" ")}`),
    webhooksOf: async (storeIds) => {
      calls.push("webhooksOf");
      const webhooks = new Map<string, Webhook | "unreadable" | null>(
        storeIds.map((storeId) => [storeId, storeId === "sto_unreadable" ? "unreadable" : webhook]),
      );
      return { webhooks, now: new Date(nowMs) };
    },
  };
  const timeLimitMs = () => {
    calls.push("timeLimitMs");
    return 5_000;
  };
  const answers = await claimDeliveries(records, requests, {
    claimedBy: "notifier-1",
    timeLimitMs,
    restores,
    deliveryLogDays,
  });
  return { answers, settled, calls };
}

interface Row {
  readonly situation: string;
  /** Default: a new claim. */
  readonly stored?: StoredClaim;
  /** Default: a webhook of format v2. */
  readonly webhook?: Webhook | null;
  readonly type?: EventType;
  readonly queuedMsAgo?: number;
  readonly decision: string;
  readonly recorded?: string;
}

const rows: readonly Row[] = [
  { situation: "a new claim", decision: "send" },
  { situation: "a new claim without a webhook", webhook: null, decision: "skipped", recorded: "skipped" },
  { situation: "queued 1 ms less than 29 days ago", queuedMsAgo: days(29) - 1, decision: "send" },
  { situation: "queued 29 days ago", queuedMsAgo: days(29), decision: "skipped", recorded: "skipped" },
  { situation: "queued long ago, settled", stored: earlier(5, true), queuedMsAgo: days(40), decision: "settled" },
  { situation: "queued in the future", queuedMsAgo: -5_000, decision: "send" },
  { situation: "settled recently", stored: earlier(5, true), decision: "settled" },
  { situation: "settled long ago", stored: earlier(90_000, true), webhook: null, decision: "settled" },
  { situation: "claimed just now", stored: earlier(0), decision: "in_flight" },
  { situation: "claimed in the future", stored: earlier(-5_000), decision: "in_flight" },
  { situation: "claimed 59,999 ms ago", stored: earlier(59_999), decision: "in_flight" },
  { situation: "claimed 60,000 ms ago", stored: earlier(60_000), decision: "settled", recorded: "interrupted" },
  {
    situation: "claimed long ago, webhook removed",
    stored: earlier(99_000),
    webhook: null,
    decision: "settled",
    recorded: "interrupted",
  },
  { situation: "claimed by the same attempt", stored: own(5), decision: "send" },
  { situation: "claimed by the same attempt 60,000 ms ago", stored: own(60_000), decision: "send" },
  { situation: "claimed by the same attempt and settled", stored: own(5, true), decision: "settled" },
  {
    situation: "claimed by the same attempt, webhook removed",
    stored: own(5),
    webhook: null,
    decision: "skipped",
    recorded: "skipped",
  },
  ...[EventType.ISSUED, EventType.VERIFIED, EventType.TRANSFERRED, EventType.REPORTED].map(
    (type): Row => ({ situation: `v1 webhook and ${EventType[type]}`, webhook: v1, type, decision: "send" }),
  ),
  ...[EventType.REVOKED, EventType.REACTIVATED].flatMap((type): Row[] => [
    { situation: `v1 webhook and ${EventType[type]}`, webhook: v1, type, decision: "skipped", recorded: "skipped" },
    { situation: `v2 webhook and ${EventType[type]}`, type, decision: "send" },
  ]),
];

describe("claimDeliveries", () => {
  test.each([
    [days(6) - 1, "send"],
    [days(6), "skipped"],
  ])("with a delivery log of seven days, answers an event queued %i ms ago with %s", async (queuedMsAgo, decision) => {
    const queuedAt = new Date(nowMs - queuedMsAgo);
    const { answers } = await claim([{ ...request(), queuedAt }], [newClaim], { deliveryLogDays: 7 });
    expect(answers).toMatchObject([{ decision }]);
  });

  test.each([
    ["before", 5_001, "settled", ["interrupted"]],
    ["at the time of", 5_000, "settled", ["interrupted"]],
    ["after", 4_999, "send", []],
  ])("answers an event queued %s a restore, %i ms ago, with %s", async (_when, queuedMsAgo, decision, recorded) => {
    const queuedAt = new Date(nowMs - queuedMsAgo);
    const restores = { sendableEpochs: new Set(["two"]), unsentBefore: new Date(nowMs - 5_000) };
    const { answers, settled } = await claim([{ ...request(), queuedAt }], [newClaim], { restores });
    expect(answers).toMatchObject([{ decision }]);
    expect(settled.map(({ kind }) => kind)).toEqual(recorded);
  });

  test.each([
    ["since the restore, although the clock was ahead during the restore", "two", "send"],
    ["before the restore, although the clock was behind during the restore", "one", "settled"],
    ["before the first restore", "", "settled"],
  ])("answers an event queued %s, by its epoch and not by its time", async (_when, epoch, decision) => {
    const unsentBefore = new Date(nowMs + (epoch === "two" ? 1 : -1) * days(1));
    const restores = { sendableEpochs: new Set(["two"]), unsentBefore };
    const { answers } = await claim([{ ...request(), queuedAt: new Date(nowMs), epoch }], [newClaim], { restores });
    expect(answers).toMatchObject([{ decision }]);
  });

  test.each(rows)("$situation: $decision", async ({ stored = newClaim, webhook = v2, type, decision, ...row }) => {
    const { queuedMsAgo = 0, recorded } = row;
    const queued = { ...request(type), queuedAt: new Date(nowMs - queuedMsAgo) };
    const { answers, settled } = await claim([queued], [stored], { webhook });
    const granted = { decision, target: webhook, sendWithinMs: 30_000 };
    expect(answers).toEqual([decision === "send" ? granted : { decision }]);
    const unsent = { httpStatus: 0, durationMs: 0, phases: {}, remoteAddress: "", replyExcerpt: "" };
    // The claim of a skipped event was stored or renewed by this call.
    const ifClaimedAt = recorded === "interrupted" ? stored.claimedAt : new Date(nowMs);
    const reason = { code: expect.stringMatching(/^[a-z_]+$/), params: expect.any(Object) };
    const outcome = { eventId: "evt_1", kind: recorded, reason, ...unsent, ifClaimedAt };
    expect(settled).toEqual(recorded === undefined ? [] : [outcome]);
  });

  test("treats a claim as abandoned after the configured lifetime", async () => {
    const { answers } = await claim([request(), request()], [earlier(4_999), earlier(5_000)], { claimLifeMs: 5_000 });
    expect(answers.map(({ decision }) => decision)).toEqual(["in_flight", "settled"]);
  });

  test("answers in the order of the requests, after storing the outcomes of unsent events", async () => {
    const requests = [1, 2, 3].map((number) => request(EventType.ISSUED, `evt_${number}`));
    const { answers, settled, calls } = await claim(requests, [earlier(70_000), newClaim, earlier(5)]);
    expect(answers.map(({ decision }) => decision)).toEqual(["settled", "send", "in_flight"]);
    expect(settled.map(({ eventId }) => eventId)).toEqual(["evt_1"]);
    expect(calls).toEqual(["webhooksOf", "timeLimitMs", "claim evt_1,evt_2,evt_3", "settle"]);
  });

  test("claims all events except those of a store whose signing secret is unreadable", async () => {
    const requests = ["sto_unreadable", "sto_1", "sto_unreadable", "sto_1"].map((storeId, index) =>
      request(EventType.ISSUED, `evt_${index}`, storeId),
    );
    const { answers, settled, calls } = await claim(requests, [newClaim, earlier(5)]);
    expect(answers.map(({ decision }) => decision)).toEqual(["later", "send", "later", "in_flight"]);
    expect(settled).toEqual([]);
    expect(calls).toEqual(["webhooksOf", "timeLimitMs", "claim evt_1,evt_3"]);
    expect((await claim(requests.slice(0, 1), [])).calls).not.toContain("claim ");
  });

  test("releases events that were settled earlier, because they may still be in the outbox", async () => {
    const requests = ["evt_1", "evt_2"].map((eventId) => request(EventType.ISSUED, eventId));
    const { calls } = await claim(requests, [earlier(5, true), newClaim]);
    expect(calls).toEqual(["webhooksOf", "timeLimitMs", "claim evt_1,evt_2", "release evt_1"]);
  });

  test("answers a new claim with send even if another event's outcome cannot be stored", async () => {
    const requests = ["evt_1", "evt_2"].map((eventId) => request(EventType.ISSUED, eventId));
    const unavailable = new Error("unavailable");
    const { answers } = await claim(requests, [earlier(70_000), newClaim], { settleError: unavailable });
    expect(answers.map(({ decision }) => decision)).toEqual(["in_flight", "send"]);
    const failing = claim([request()], [earlier(70_000)], { settleError: unavailable });
    await expect(failing).rejects.toBe(unavailable);
  });

  test("renews only the claims of the attempt that retries its call", async () => {
    const requests = ["evt_1", "evt_2", "evt_3"].map((eventId) => request(EventType.ISSUED, eventId));
    const { answers, calls } = await claim(requests, [own(5), earlier(5), newClaim]);
    expect(answers.map(({ decision }) => decision)).toEqual(["send", "in_flight", "send"]);
    expect(calls).toEqual(["webhooksOf", "timeLimitMs", "claim evt_1,evt_2,evt_3", "renew evt_1"]);
  });

  test.each([
    ["a claim was settled before it could be renewed", own(5)],
    ["a claim was renewed before it could be settled as interrupted", earlier(60_000)],
    ["a claim was renewed before it could be settled as skipped", newClaim, null],
  ])("answers in_flight if %s", async (_situation, stored, webhook: Webhook | null = v2) => {
    const { answers } = await claim([request()], [stored], { isTooLate: true, webhook });
    expect(answers).toEqual([{ decision: "in_flight" }]);
  });
});
