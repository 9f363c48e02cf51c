import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Webhook } from "../stores/webhooks.ts";
import { claimDeliveries } from "./claim-deliveries.ts";
import type { DeliveryOutcome, DeliveryRecords, DeliveryRequest, StoredClaim } from "./delivery.ts";

const nowMs = Date.parse("2026-05-01T12:00:00.000Z");
const v1: Webhook = { url: "https://receiver.test/", format: "v1", secret: null, otherSecret: null };
const v2: Webhook = { url: "https://receiver.test/", format: "v2", secret: "whsec_1", otherSecret: null };

const request = (type = EventType.ISSUED, eventId = "evt_1", storeId = "sto_1"): DeliveryRequest => ({
  eventId,
  storeId,
  certificateId: "crt_1",
  type,
  requestedBy: "",
  queuedAt: undefined,
});

const days = (count: number) => count * 86_400_000;
const newClaim: StoredClaim = { isNew: true, claimedAt: new Date(nowMs), isSettled: false };
const earlier = (ageMs: number, isSettled = false): StoredClaim => ({
  isNew: false,
  claimedAt: new Date(nowMs - ageMs),
  isSettled,
});

/** Claims the requests; the fake records return these claims and this webhook, and log their calls. */
async function claim(
  requests: DeliveryRequest[],
  claims: StoredClaim[],
  webhook: Webhook | null,
  claimLifeMs?: number,
  settleError?: Error,
) {
  const settled: DeliveryOutcome[] = [];
  const calls: string[] = [];
  const records: DeliveryRecords = {
    claim: async (claimable) => {
      calls.push(`claim ${claimable.map(({ eventId }) => eventId)}`);
      return claims;
    },
    settle: async (outcomes) => {
      calls.push("settle");
      if (settleError !== undefined) throw settleError;
      settled.push(...outcomes);
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
  const answers = await claimDeliveries(records, requests, "notifier-1", claimLifeMs);
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
  ...[EventType.ISSUED, EventType.VERIFIED, EventType.TRANSFERRED, EventType.REPORTED].map(
    (type): Row => ({ situation: `v1 webhook and ${EventType[type]}`, webhook: v1, type, decision: "send" }),
  ),
  ...[EventType.REVOKED, EventType.REACTIVATED].flatMap((type): Row[] => [
    { situation: `v1 webhook and ${EventType[type]}`, webhook: v1, type, decision: "skipped", recorded: "skipped" },
    { situation: `v2 webhook and ${EventType[type]}`, type, decision: "send" },
  ]),
];

describe("claimDeliveries", () => {
  test.each(rows)("$situation: $decision", async ({ stored = newClaim, webhook = v2, type, decision, ...row }) => {
    const { queuedMsAgo = 0, recorded } = row;
    const queued = { ...request(type), queuedAt: new Date(nowMs - queuedMsAgo) };
    const { answers, settled } = await claim([queued], [stored], webhook);
    expect(answers).toEqual([decision === "send" ? { decision, target: webhook } : { decision }]);
    const unsent = { httpStatus: 0, durationMs: 0, phases: {}, remoteAddress: "", replyExcerpt: "" };
    const outcome = { eventId: "evt_1", kind: recorded, reason: expect.stringMatching(/^[A-Z].*\.$/), ...unsent };
    expect(settled).toEqual(recorded === undefined ? [] : [outcome]);
  });

  test("treats a claim as abandoned after the configured lifetime", async () => {
    const { answers } = await claim([request(), request()], [earlier(4_999), earlier(5_000)], v2, 5_000);
    expect(answers.map(({ decision }) => decision)).toEqual(["in_flight", "settled"]);
  });

  test("answers in the order of the requests, after storing the outcomes of unsent events", async () => {
    const requests = [1, 2, 3].map((number) => request(EventType.ISSUED, `evt_${number}`));
    const { answers, settled, calls } = await claim(requests, [earlier(70_000), newClaim, earlier(5)], v2);
    expect(answers.map(({ decision }) => decision)).toEqual(["settled", "send", "in_flight"]);
    expect(settled.map(({ eventId }) => eventId)).toEqual(["evt_1"]);
    expect(calls).toEqual(["webhooksOf", "claim evt_1,evt_2,evt_3", "settle"]);
  });

  test("claims all events except those of a store whose signing secret is unreadable", async () => {
    const requests = ["sto_unreadable", "sto_1", "sto_unreadable", "sto_1"].map((storeId, index) =>
      request(EventType.ISSUED, `evt_${index}`, storeId),
    );
    const { answers, settled, calls } = await claim(requests, [newClaim, earlier(5)], v2);
    expect(answers.map(({ decision }) => decision)).toEqual(["later", "send", "later", "in_flight"]);
    expect(settled).toEqual([]);
    expect(calls).toEqual(["webhooksOf", "claim evt_1,evt_3"]);
    expect((await claim(requests.slice(0, 1), [], v2)).calls).toEqual(["webhooksOf"]);
  });

  test("releases events that are settled but still in the outbox", async () => {
    const requests = ["evt_1", "evt_2"].map((eventId) => request(EventType.ISSUED, eventId));
    const { calls } = await claim(requests, [earlier(5, true), newClaim], v2);
    expect(calls).toEqual(["webhooksOf", "claim evt_1,evt_2", "release evt_1"]);
  });

  test("answers a new claim with send even if another event's outcome cannot be stored", async () => {
    const requests = ["evt_1", "evt_2"].map((eventId) => request(EventType.ISSUED, eventId));
    const unavailable = new Error("unavailable");
    const { answers } = await claim(requests, [earlier(70_000), newClaim], v2, undefined, unavailable);
    expect(answers.map(({ decision }) => decision)).toEqual(["in_flight", "send"]);
    await expect(claim([request()], [earlier(70_000)], v2, undefined, unavailable)).rejects.toBe(unavailable);
  });
});
