import { expect, test } from "vitest";
import { certificateFixture } from "../../../../services/client/client-fixture.ts";
import type { FullMessage } from "../../../../services/client/index.ts";
import type { IntegratorMessage } from "../integrator/receive-line.ts";
import { journeyOf, type ShopAction } from "./journey.ts";
import type { SentMessage } from "./platform.ts";

const startMs = Date.parse("2030-01-31T10:00:00.000Z");
const after = (ms: number) => new Date(startMs + ms);
const action: ShopAction = { kind: "order", at: after(0), count: 2, earlier: 0, webhookId: "hook-1" };
const sent: SentMessage = {
  webhookId: "hook-1",
  topic: "orders/paid",
  body: "{}",
  signature: "",
  sentAt: after(0),
  times: 1,
};
const mirror = { caughtUpAt: () => undefined, rows: [], now: after(200), overdueMs: 5_000 };

function message(event: FullMessage["event"], changedMs: number, savedAt: Date | null): IntegratorMessage {
  const updatedAt = after(changedMs).toISOString();
  const certificate = certificateFixture(`crt_${changedMs}`, 0, { updatedAt });
  return {
    message: { version: 2, event, shop: "shop.example", occurredAt: updatedAt, certificate },
    body: "",
    deliveryId: `evt-${changedMs}`,
    signature: "",
    receivedAt: after(changedMs + 20),
    savedAt,
  };
}

test("an action whose webhook is still unanswered has reached no stage", () => {
  expect(journeyOf(action, { sent: [sent], received: [], ...mirror })).toMatchObject({
    edgeMs: null,
    registryMs: null,
    receiverMs: null,
    mirrorMs: null,
  });
});

test("an action whose webhook the edge refused has no edge time", () => {
  const refused = { ...sent, status: 503, answeredMs: 5 };
  expect(journeyOf(action, { sent: [refused], received: [], ...mirror }).edgeMs).toBeNull();
});

test("a stage is reached once every certificate has reached it", () => {
  const answered = { ...sent, status: 200, answeredMs: 12 };
  const first = message("issued", 30, after(55));
  const before = journeyOf(action, { sent: [answered], received: [first], ...mirror });
  expect(before).toMatchObject({ edgeMs: 12, registryMs: null, receiverMs: null, mirrorMs: null });
  const received = [first, message("verified", 35, after(56)), message("issued", 40, after(70))];
  const journey = journeyOf(action, { sent: [answered], received, ...mirror });
  expect(journey).toMatchObject({ registryMs: 40, receiverMs: 60, mirrorMs: 70 });
});

test("the message about an earlier refund does not count for a later refund, even if it arrives after the later refund", () => {
  const second: ShopAction = { kind: "refund", at: after(100), count: 1, earlier: 1, webhookId: "hook-3" };
  const late = message("revoked", 90, after(125));
  expect(journeyOf(second, { sent: [], received: [late], ...mirror }).receiverMs).toBeNull();
  const received = [late, message("revoked", 130, after(160))];
  expect(journeyOf(second, { sent: [], received, ...mirror })).toMatchObject({ receiverMs: 50, mirrorMs: 60 });
});

test("a certificate whose message is sent again counts only once", () => {
  const received = [message("issued", 30, after(55)), message("issued", 30, after(60))];
  expect(journeyOf(action, { sent: [], received, ...mirror }).receiverMs).toBeNull();
});

test("a certificate whose message the mirror missed counts as saved once a catch-up has read it", () => {
  const received = [message("issued", 30, after(55)), message("issued", 40, null)];
  expect(journeyOf(action, { sent: [], received, ...mirror }).mirrorMs).toBeNull();
  const later = journeyOf(action, { sent: [], received, ...mirror, caughtUpAt: () => after(900) });
  expect(later.mirrorMs).toBe(900);
});

test("certificates that a catch-up has read have reached the registry and the mirror, even if no message has arrived", () => {
  const answered = { ...sent, status: 200, answeredMs: 12 };
  const row = (id: string, status: string, ms: number) => ({ id, status, updatedAt: after(ms).toISOString() });
  const rows = [row("crt_1", "active", 30), row("crt_2", "revoked", 140)];
  const found = { ...mirror, rows, caughtUpAt: () => after(6_000), received: [], sent: [answered] };
  const late = journeyOf(action, { ...found, now: after(6_100) });
  expect(late).toMatchObject({ registryMs: 140, receiverMs: null, mirrorMs: 6_000, isOverdue: true });
  expect(journeyOf(action, { ...found, now: after(4_000) }).isOverdue).toBe(false);
  const refund: ShopAction = { ...action, kind: "refund", at: after(100), count: 1 };
  expect(journeyOf(refund, { ...found, now: after(6_100) })).toMatchObject({ registryMs: 40, receiverMs: null });
  const second: ShopAction = { ...refund, earlier: 1 };
  expect(journeyOf(second, { ...found, now: after(6_100) }).registryMs).toBeNull();
});
