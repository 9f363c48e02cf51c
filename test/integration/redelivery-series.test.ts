import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { systemClock } from "#shared/time/clock.ts";
import { redeliverRange as redeliverByOperator } from "../../services/cli/commands/event/redeliver-range.ts";
import { createOutput } from "../../services/cli/output/output.ts";
import { redeliverRange as redeliverByMerchant } from "../../services/edge/settings/deliveries/redeliver-form.ts";
import { inStore } from "../harness/in-store.ts";
import { issueMany } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { runCertctl } from "../harness/run-certctl.ts";
import { createStoreWithWebhook } from "../harness/test-stores.ts";

const registry = await sharedRegistry();

/** Creates a store of which the messages about certificates were refused. */
async function storeWithRefused(count: number): Promise<string> {
  const { storeId } = await createStoreWithWebhook(registry);
  await issueMany(registry, storeId, count);
  const waiting = await waitingEvents(registry.database, storeId);
  for (let from = 0; from < waiting.length; from += 100) {
    const part = waiting.slice(from, from + 100);
    const claims = part.map(({ id, certificateId, requestedBy }) => {
      return { eventId: id, storeId, certificateId, type: EventType.ISSUED, requestedBy };
    });
    await registry.notifier.claimDeliveries({ notifierId: "test", claims });
    const outcomes = part.map(({ id }) => ({ eventId: id, kind: OutcomeKind.REFUSED, httpStatus: 503 }));
    await registry.notifier.recordOutcomes({ outcomes });
  }
  return storeId;
}

/** Returns the calls of one store. */
function callsOf(storeId: string) {
  const { deliveries } = registry;
  return {
    previewRedelivery: (request: Parameters<typeof deliveries.previewRedelivery>[0]) =>
      deliveries.previewRedelivery(request, inStore(storeId)),
    redeliverEvents: (request: Parameters<typeof deliveries.redeliverEvents>[0]) =>
      deliveries.redeliverEvents(request, inStore(storeId)),
  };
}

test("certctl says that it waits while too many messages wait, and ends before the keys of the series expire", async () => {
  const storeId = await storeWithRefused(1);
  await issueMany(registry, storeId, 200);
  const notes: string[] = [];
  const output = { ...createOutput(false), note: (text: string) => notes.push(text) };
  let nowMs = systemClock.now();
  const clock = {
    now: () => nowMs,
    sleep: async () => {
      nowMs += 6 * 3_600_000;
    },
  };
  const options = { selection: {}, idempotencyKey: "series", isConfirmed: true };
  await expect(redeliverByOperator({ deliveries: callsOf(storeId) }, output, options, clock)).rejects.toThrow(
    /^Stopped after 23 hours, .* Queued: 0\. .* --idempotency-key=series --until 20/,
  );
  expect(notes).toEqual(Array.from({ length: 4 }, () => expect.stringContaining("Queued so far: 0. Waiting …")));
});

test("a range without an end ends at the database's time, whatever the caller's clock says", async () => {
  const storeId = await storeWithRefused(2);
  const { previewRedelivery } = callsOf(storeId);
  const { until } = await previewRedelivery({ deliveries: {} });
  expect((await previewRedelivery({ deliveries: { ...(until && { until }) } })).counts).toMatchObject([{ count: 2 }]);
  const behind = { ...systemClock, now: () => 0 };
  const options = { selection: {}, idempotencyKey: "", isConfirmed: true };
  await redeliverByOperator({ deliveries: callsOf(storeId) }, createOutput(true), options, behind);
  expect((await waitingEvents(registry.database, storeId)).length).toBe(2);
});

test("certctl refuses a key too long for a series, and a certificate that is neither an id nor a number", async () => {
  const store = ["--registry", registry.address, "--store", await storeWithRefused(1)];
  const range = ["event", "redeliver", "--since", "2026-01-01T00:00:00Z", "--yes"];
  expect(await runCertctl(...store, ...range, "--idempotency-key", "k".repeat(57))).toMatchObject({
    code: 2,
    error: expect.stringContaining("at most 56 characters"),
  });
  expect(await runCertctl(...store, ...range, "--idempotency-key", "k".repeat(56))).toMatchObject({ code: 0 });
  expect(await runCertctl(...store, "event", "list", "--certificate", "#1042")).toMatchObject({
    code: 2,
    error: expect.stringContaining("#1042"),
  });
});

/** Returns the form that a merchant sends, with the fields. */
function formOf(nonce: string, fields: Readonly<Record<string, string>>, isConfirmed = true) {
  return { text: (name: string) => fields[name] ?? "", has: (name: string) => name in fields, isConfirmed, nonce };
}

test("a merchant whose range an outage has interrupted continues it, and no event is sent twice", async () => {
  const storeId = await storeWithRefused(120);
  const calls = callsOf(storeId);
  let isDown = true;
  const deliveries = {
    ...calls,
    async redeliverEvents(request: Parameters<typeof calls.redeliverEvents>[0]) {
      const queued = await calls.redeliverEvents(request);
      // The answer is lost, but the page is queued.
      if (isDown && request.deliveries?.pageToken !== "") throw new ServiceError("unavailable", "no answer");
      return queued;
    },
  };
  const visit = { language: "en", text: textsFor("en"), now: new Date(), registry: { deliveries } } as const;
  const before = String(Date.now() + 60_000);
  const outcome = await redeliverByMerchant(visit, formOf("first", { outcome: "failed", before }));
  const { searchParams } = new URL("path" in outcome ? outcome.path : "", "https://settings.example.test");
  expect([searchParams.get("count"), searchParams.get("outcome")]).toEqual(["100", "failed"]);
  isDown = false;
  const rest = formOf("second", { continues: "on", ...Object.fromEntries(searchParams) });
  expect(await redeliverByMerchant(visit, rest)).toEqual({ path: "/deliveries?outcome=failed&done=queued&count=20" });
  const sent = (await waitingEvents(registry.database, storeId)).map(({ certificateId }) => certificateId);
  expect([sent.length, new Set(sent).size]).toEqual([120, 120]);
});

test.each(["since", "until", "outcome", "event"])(
  "a merchant's range with an invalid filter %s is refused rather than widened",
  async (name) => {
    const visit = {
      language: "en",
      text: textsFor("en"),
      now: new Date(),
      registry: { deliveries: callsOf(await storeWithRefused(1)) },
    } as const;
    await expect(redeliverByMerchant(visit, formOf("n", { [name]: "2026-02-30" }))).rejects.toMatchObject({
      mistakes: [{ field: "", text: expect.stringContaining("2026-02-30") }],
    });
  },
);
