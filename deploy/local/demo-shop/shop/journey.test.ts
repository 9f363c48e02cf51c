import { expect, test } from "vitest";
import { certificateFixture } from "../../../../services/client/client-fixture.ts";
import type { FullMessage } from "../../../../services/client/index.ts";
import type { IntegratorMessage } from "../integrator/receive-line.ts";
import { journeyOf, type ShopAction } from "./journey.ts";
import type { SentMessage } from "./platform.ts";

const startMs = Date.parse("2030-01-31T10:00:00.000Z");
const after = (ms: number) => new Date(startMs + ms);
const action: ShopAction = { kind: "order", at: after(0), count: 2, webhookId: "hook-1" };
const sent: SentMessage = {
  ...{ webhookId: "hook-1", topic: "orders/paid", body: "{}", signature: "", sentAt: after(0), times: 1 },
};
const caughtUpAt = () => undefined;

function message(event: FullMessage["event"], changedMs: number, savedAt: Date | null): IntegratorMessage {
  const updatedAt = after(changedMs).toISOString();
  const certificate = certificateFixture(`crt_${changedMs}`, 0, { updatedAt });
  return {
    message: { version: 2, event, shop: "shop.example", occurredAt: updatedAt, certificate },
    ...{ body: "", deliveryId: `evt-${changedMs}`, signature: "", receivedAt: after(changedMs + 20), savedAt },
  };
}

test("an action whose webhook is still unanswered has reached no stage", () => {
  expect(journeyOf(action, { sent: [sent], received: [], caughtUpAt })).toMatchObject({
    ...{ edgeMs: null, registryMs: null, receiverMs: null, mirrorMs: null },
  });
});

test("a webhook that the edge refused does not count as stored", () => {
  const refused = { ...sent, status: 503, answeredMs: 5 };
  expect(journeyOf(action, { sent: [refused], received: [], caughtUpAt }).edgeMs).toBeNull();
});

test("a stage is reached when the last of the certificates has reached it", () => {
  const answered = { ...sent, status: 200, answeredMs: 12 };
  const first = message("issued", 30, after(55));
  const before = journeyOf(action, { sent: [answered], received: [first], caughtUpAt });
  expect(before).toMatchObject({ edgeMs: 12, registryMs: null, receiverMs: null, mirrorMs: null });
  const received = [first, message("verified", 35, after(56)), message("issued", 40, after(70))];
  const journey = journeyOf(action, { sent: [answered], received, caughtUpAt });
  expect(journey).toMatchObject({ registryMs: 40, receiverMs: 60, mirrorMs: 70 });
});

test("the messages of an earlier refund do not count for a later one", () => {
  const refund: ShopAction = { kind: "refund", at: after(100), count: 1, webhookId: "hook-2" };
  const received = [message("revoked", 50, after(75)), message("revoked", 130, after(160))];
  expect(journeyOf(refund, { sent: [], received, caughtUpAt }).mirrorMs).toBe(60);
});

test("a certificate that the mirror missed reaches it when the mirror catches up", () => {
  const received = [message("issued", 30, after(55)), message("issued", 40, null)];
  expect(journeyOf(action, { sent: [], received, caughtUpAt }).mirrorMs).toBeNull();
  const later = journeyOf(action, { sent: [], received, caughtUpAt: () => after(900) });
  expect(later.mirrorMs).toBe(900);
});
