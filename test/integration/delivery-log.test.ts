import { fromBinary } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { beforeAll, describe, expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import { ClaimDecision, OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import type { OutboxDocument } from "../../services/registry/mongo/documents/documents.ts";
import { updateEach } from "../../services/registry/mongo/driver/write-each.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { metricValues } from "../harness/metric-values.ts";
import { pagesOf } from "../harness/pages-of.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { createStoreWithWebhook, createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const { notifier, inspection } = registry;
const { deliveries } = registry.database.collections;

const { DELIVERED, REFUSED, SKIPPED } = OutcomeKind;
const startMs = Date.now() - 3_600_000;
const minute = (count: number) => new Date(startMs + count * 60_000);

let events = 0;

/** Claims new events of a store in one call and sets the time of the claims to `at`. @returns the event ids */
async function claim(storeId: string, count: number, at: Date, requestedBy = ""): Promise<string[]> {
  const claims = Array.from({ length: count }, () => ({
    eventId: `evt_log${String(++events).padStart(4, "0")}`,
    storeId,
    certificateId: `crt_${events}`,
    type: EventType.VERIFIED,
    requestedBy,
  }));
  await notifier.claimDeliveries({ notifierId: "test", claims });
  const ids = claims.map(({ eventId }) => eventId);
  await updateEach(deliveries, ids, {}, { $set: { claimedAt: at } }, {});
  return ids;
}

const record = (eventId: string | undefined, kind: OutcomeKind) =>
  notifier.recordOutcomes({ outcomes: [{ eventId: eventId ?? "", kind, httpStatus: 200 }] });

const ids = (page: { readonly deliveries: readonly Delivery[] }) => page.deliveries.map(({ eventId }) => eventId);

test("shows every recorded field of a delivery", async () => {
  const { storeId } = await createStoreWithWebhook(registry);
  const [eventId = ""] = await claim(storeId, 1, minute(0), "ada");
  const before = await inspection.listDeliveries({}, inStore(storeId));
  expect(before.deliveries).toMatchObject([
    { eventId, certificateId: `crt_${events}`, type: EventType.VERIFIED, requestedBy: "ada" },
  ]);
  expect(before.deliveries[0]?.outcome ?? before.deliveries[0]?.settledAt).toBeUndefined();
  const outcome = {
    eventId,
    kind: OutcomeKind.TLS_FAILED,
    httpStatus: 0,
    durationMs: 31,
    reason: reason("receiver_certificate_expired", { error: "CERT_HAS_EXPIRED" }),
    phases: { resolveMs: 0, connectMs: 9, tlsMs: 22 },
    remoteAddress: "2001:db8::1",
    replyExcerpt: "Größe: \ufffd[2J",
  };
  await notifier.recordOutcomes({ outcomes: [outcome] });
  const [listed] = (await inspection.listDeliveries({}, inStore(storeId))).deliveries;
  expect(listed?.claimedAt && timestampDate(listed.claimedAt)).toEqual(minute(0));
  expect(listed?.settledAt && timestampDate(listed.settledAt).getTime()).toBeGreaterThan(startMs);
  expect(listed?.outcome).toMatchObject(outcome);
  expect(listed?.outcome?.phases?.sendMs).toBeUndefined();
});

test("records an outcome of a kind that only a later notifier knows, by its name, and the other outcomes of its batch", async () => {
  const { storeId } = await createStoreWithWebhook(registry);
  const [one = "", other = ""] = await claim(storeId, 2, minute(0));
  const laterKind: number = 99;
  await notifier.recordOutcomes({
    outcomes: [
      { eventId: one, kind: laterKind, kindName: "receiver_paused", httpStatus: 429 },
      { eventId: other, kind: OutcomeKind.DELIVERED, kindName: "delivered", httpStatus: 204 },
    ],
  });
  const kindOf = async (_id: string) => (await deliveries.findOne({ _id }))?.outcome?.kind;
  expect([await kindOf(one), await kindOf(other)]).toEqual(["receiver_paused", "delivered"]);
  const listed = (await inspection.listDeliveries({}, inStore(storeId))).deliveries;
  const kinds = Object.fromEntries(listed.map(({ eventId, outcome }) => [eventId, outcome?.kind]));
  expect(kinds).toEqual({ [one]: OutcomeKind.UNSPECIFIED, [other]: OutcomeKind.DELIVERED });
  // A series for each name would be without bound.
  const counts = await metricValues(registry.operationsUrl, "registry_webhook_outcomes_total");
  expect(Object.keys(counts).filter((labels) => labels.includes("receiver_paused"))).toEqual([]);
  expect(counts['outcome="unknown"']).toBeGreaterThan(0);
});

test.each(["", "$where", "a".repeat(41)])(
  "refuses an outcome of an unknown kind with the name %j",
  async (kindName) => {
    const laterKind: number = 99;
    const refused = notifier.recordOutcomes({ outcomes: [{ eventId: "evt_1", kind: laterKind, kindName }] });
    await expect(refused).rejects.toThrow("outcomes.kind");
  },
);

test("shows why a message was not sent", async () => {
  const storeId = await createTestStore(registry);
  const [eventId] = await claim(storeId, 1, minute(0));
  const { deliveries: found } = await inspection.listDeliveries({ outcome: SKIPPED }, inStore(storeId));
  expect(found).toMatchObject([
    {
      eventId,
      outcome: {
        kind: SKIPPED,
        httpStatus: 0,
        reason: { code: "no_webhook_url", text: "No webhook URL is set. Set one to receive messages." },
      },
    },
  ]);
});

test("lists an outcome of an unknown kind as UNSPECIFIED", async () => {
  const { storeId } = await createStoreWithWebhook(registry);
  const [eventId = ""] = await claim(storeId, 1, minute(0));
  await record(eventId, DELIVERED);
  await deliveries.updateOne({ _id: eventId }, { $set: { "outcome.kind": "teleported" } });
  const { deliveries: found } = await inspection.listDeliveries({}, inStore(storeId));
  expect(found).toMatchObject([{ outcome: { kind: OutcomeKind.UNSPECIFIED, httpStatus: 200 } }]);
});

describe("a store's delivery log", () => {
  let storeId: string;
  /** Event ids, newest first, of five claim calls a minute apart; the third claims four events, the fourth three. */
  let all: string[];

  beforeAll(async () => {
    ({ storeId } = await createStoreWithWebhook(registry));
    const batches = [];
    for (const [index, count] of [1, 1, 4, 3, 1].entries()) batches.push(await claim(storeId, count, minute(index)));
    await claim((await createStoreWithWebhook(registry)).storeId, 2, minute(2));
    all = batches.flat().toReversed();
    for (const [index, eventId] of all.entries()) await record(eventId, index % 3 === 0 ? REFUSED : DELIVERED);
  });

  test("is listed newest first, in a fixed order within a claim call, without other stores' deliveries", async () => {
    expect(ids(await inspection.listDeliveries({}, inStore(storeId)))).toEqual(all);
  });

  test.each([1, 2, 3, 9, 10, 100])("contains each delivery once when read in pages of %i", async (limit) => {
    const seen: string[] = [];
    const read = (pageToken: string) => inspection.listDeliveries({ limit, pageToken }, inStore(storeId));
    for await (const page of pagesOf(read)) {
      expect(page.deliveries.length).toBeLessThanOrEqual(limit);
      seen.push(...ids(page));
    }
    expect(seen).toEqual(all);
  });

  test("can be filtered by outcome across pages", async () => {
    const refused = all.filter((_, index) => index % 3 === 0);
    const query = { storeId, outcome: REFUSED };
    const first = await inspection.listDeliveries({ ...query, limit: 3 }, inStore(query.storeId));
    expect(ids(first)).toEqual(refused.slice(0, 3));
    const rest = await inspection.listDeliveries({ ...query, pageToken: first.nextPageToken }, inStore(query.storeId));
    expect(ids(rest)).toEqual(refused.slice(3));
    expect(rest.nextPageToken).toBe("");
  });

  test("can be filtered by certificate", async () => {
    const { deliveries: listed } = await inspection.listDeliveries({}, inStore(storeId));
    const { certificateId = "", eventId } = listed[2] ?? {};
    expect(ids(await inspection.listDeliveries({ certificateId }, inStore(storeId)))).toEqual([eventId]);
    expect(ids(await inspection.listDeliveries({ certificateId, outcome: SKIPPED }, inStore(storeId)))).toEqual([]);
    expect(ids(await inspection.listDeliveries({ certificateId: "crt_none" }, inStore(storeId)))).toEqual([]);
  });

  test("can be filtered by an inclusive start and an exclusive end", async () => {
    const at = (count: number) => timestampFromDate(minute(count));
    const list = async (query: object) => ids(await inspection.listDeliveries(query, inStore(storeId)));
    expect(await list({ since: at(3) })).toEqual(all.slice(0, 4));
    expect(await list({ until: at(3) })).toEqual(all.slice(4));
    expect(await list({ since: at(2), until: at(3) })).toEqual(all.slice(4, 8));
    expect(await list({ since: at(3), until: at(3) })).toEqual([]);
    const { nextPageToken } = await inspection.listDeliveries({ until: at(3), limit: 1 }, inStore(storeId));
    expect(await list({ since: at(2), until: at(3), pageToken: nextPageToken })).toEqual(all.slice(5, 8));
  });

  test("is reported as not found, rather than as empty, for an unknown store", async () => {
    await expect(inspection.listDeliveries({}, inStore("sto_unknown"))).rejects.toMatchObject({ code: Code.NotFound });
  });

  test("rejects an invalid limit, page token, outcome or time", async () => {
    const refusals = [
      [{ limit: 101 }, "limit must be at most 100"],
      [{ pageToken: "x" }, "page_token is not a next_page_token of this list"],
      [{ outcome: 99 as OutcomeKind }, "outcome is missing or unknown"],
      [{ since: { seconds: 1n << 60n } }, "since is out of range"],
    ] as const;
    for (const [query, message] of refusals)
      await expect(inspection.listDeliveries(query, inStore(storeId))).rejects.toThrow(message);
  });
});

describe("the expiry of a delivery record", () => {
  const day = 86_400_000;
  const claimOf = (storeId: string, eventId: string, queuedMsAgo: number) => ({
    claims: [
      {
        eventId,
        storeId,
        certificateId: "crt_1",
        queuedAt: timestampFromDate(new Date(Date.now() - queuedMsAgo)),
      },
    ],
  });

  test("does not lead to a second send, because a message as old as an expired record is skipped", async () => {
    const { storeId } = await createStoreWithWebhook(registry);
    const decide = async (queuedMsAgo: number) => {
      const { results } = await notifier.claimDeliveries(claimOf(storeId, "evt_old", queuedMsAgo));
      return results[0]?.decision;
    };
    expect(await decide(0)).toBe(ClaimDecision.SEND);
    // Stands in for the database, which deletes deliveries after 30 days.
    await deliveries.deleteOne({ _id: "evt_old" });
    expect(await decide(30 * day)).toBe(ClaimDecision.SKIPPED);
    const { deliveries: found } = await inspection.listDeliveries({}, inStore(storeId));
    expect(found).toMatchObject([
      {
        outcome: {
          reason: reason("message_expired", { days: 29 }),
        },
      },
    ]);
  });

  test("does not affect a redelivery, because the redelivery's message has its own queuedAt", async () => {
    const { storeId } = await createStoreWithWebhook(registry);
    const certificateId = await issueOne(registry, storeId);
    const [issued] = await registry.database.collections.outbox.find({ certificate: certificateId }).toArray();
    const eventId = issued?._id ?? "";
    await notifier.claimDeliveries({ claims: [{ eventId, storeId, certificateId }] });
    await record(eventId, DELIVERED);
    const { deliveryId } = await registry.deliveries.redeliverEvent({ eventId }, inStore(storeId));
    const [again] = await registry.database.collections.outbox.find({ certificate: certificateId }).toArray();
    const queuedAt = (document: OutboxDocument | undefined) => {
      const event = fromBinary(CertificateEventSchema, document?.event.value() ?? new Uint8Array());
      return [
        event.id,
        event.queuedAt && timestampDate(event.queuedAt),
        event.occurredAt && timestampDate(event.occurredAt),
      ];
    };
    expect(queuedAt(issued)).toEqual([eventId, issued?.at, issued?.at]);
    expect(queuedAt(again)).toEqual([deliveryId, again?.at, issued?.at]);
    expect(again?.at).not.toEqual(issued?.at);
  });
});

test("the deliveries collection has an index with which the database removes a delivery 30 days after its claim", async () => {
  const indexes = await deliveries.indexes();
  expect(indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)).toMatchObject([
    { key: { claimedAt: 1 }, expireAfterSeconds: 30 * 24 * 60 * 60 },
  ]);
});
