import { timestampDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { issueInNewStore, issueItem, issueOne } from "../harness/issue-items.ts";
import type { CertificateState, LifecycleCase } from "../harness/lifecycle-case.ts";
import { caseEntries, lifecycleCases, wayOut } from "../harness/lifecycle-cases.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listedJson } from "../harness/public-certificate.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const { database, inspection, issuing, lifecycle, verification } = registry;

const by = (actor: string, storeId?: string) => ({
  headers: { "x-actor": actor, ...(storeId !== undefined && inStore(storeId).headers) },
});

async function historyOf(storeId: string, certificateId: string) {
  const { entries } = await inspection.getHistory({ certificateId }, inStore(storeId));
  return entries.map(({ eventId, type, occurredAt, cause, actor }) => ({
    eventId,
    type: EventType[type],
    occurredAt: occurredAt && timestampDate(occurredAt).toISOString(),
    cause,
    actor,
  }));
}

test("records, for every operation, one event with the JSON that the list returns, and one history entry with cause and actor", async () => {
  const storeId = await createTestStore(registry);
  const order = { id: "450789469", name: "#1001", line: "1", unit: 1 };
  const { results } = await issuing.issueCertificates({ items: [issueItem({ order })] }, by("shop", storeId));
  const certificateId = results[0]?.certificateId ?? "";
  const steps = historySteps();

  const shown = [await listedJson(registry, storeId)];
  for (const { operation, content, actor } of steps) {
    const headers = actor === undefined ? undefined : by(actor).headers;
    await operation.send(registry, { storeId, certificateId, content, ...(headers && { headers }) });
    shown.push(await listedJson(registry, storeId));
  }
  // Only the first opening of the verification page records an event.
  await verification.recordVerification({ certificateId });

  const events = await waitingEvents(database, storeId);
  expect(events.map(({ type }) => type)).toEqual(["ISSUED", ...steps.map(({ operation }) => operation.event)]);
  const known = Object.values(EventType).filter((type) => typeof type === "string" && type !== "UNSPECIFIED");
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(known));
  expect(events.map(({ json }) => json)).toEqual(shown);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  for (const event of events) {
    expect(event.certificateId).toBe(certificateId);
    expect(event.occurredAt).toBe(event.certificate.updatedAt);
  }
  const causes = [["order", "shop"], ...steps.map(({ cause, recordedActor }) => [cause, recordedActor])];
  expect(await historyOf(storeId, certificateId)).toEqual(
    events.map(({ id, type, occurredAt }, index) => ({
      eventId: id,
      type,
      occurredAt,
      cause: causes[index]?.[0],
      actor: causes[index]?.[1],
    })),
  );
});

/** Every operation with each of its causes, and the operations that make them possible. */
function historySteps() {
  const actors = [undefined, "app/ada", "connector", "certctl/root"];
  const calls: [LifecycleCase, content: number][] = [];
  let state: CertificateState = "active";
  const add = (operation: LifecycleCase, content: number) => {
    calls.push([operation, content]);
    const effect = operation.effects[state];
    if (typeof effect === "string") state = effect;
  };
  for (const [, operation] of caseEntries) {
    const causes = operation.contents.map(({ cause }) => cause);
    for (const cause of new Set(causes)) {
      const before = typeof operation.effects[state] === "string" ? undefined : wayOut(state, operation);
      if (before !== undefined) add(lifecycleCases[before], 0);
      add(operation, causes.indexOf(cause));
    }
  }
  return calls.map(([operation, content], index) => {
    const actor = actors[index % actors.length];
    const { cause } = operation.contentOf(content);
    // A call cannot name the actor of what a buyer does on the verification page.
    const recordedActor = cause === "verification_page" ? "buyer" : (actor ?? "unknown");
    return { operation, content, cause, actor, recordedActor };
  });
}

describe("a certificate's history", () => {
  test("contains only the events of that certificate", async () => {
    const storeId = await createTestStore(registry);
    const [first, second] = [await issueOne(registry, storeId), await issueOne(registry, storeId)];
    await verification.recordVerification({ certificateId: second });
    await verification.reportProblem({ certificateId: first, content: "?" });
    const types = async (id: string) => (await historyOf(storeId, id)).map(({ type }) => type);
    expect(await types(first)).toEqual(["ISSUED", "REPORTED"]);
    expect(await types(second)).toEqual(["ISSUED", "VERIFIED"]);
  });

  test("contains all entries, even if there are more than 1,000", async () => {
    const { storeId, certificateId } = await issueInNewStore(registry);
    const { history } = database.collections;
    const reported = Array.from({ length: 1_000 }, (_, index) => ({
      _id: `evt_reported_${index}`,
      store: storeId,
      certificate: certificateId,
      type: EventType.REPORTED,
      at: new Date(Date.parse("2026-01-01") + index),
      cause: "verification_page",
      actor: "buyer",
    }));
    await history.insertMany(reported);
    await lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));
    const entries = await historyOf(storeId, certificateId);
    expect(entries).toHaveLength(1_002);
    expect(entries.slice(-2).map(({ type }) => type)).toEqual(["ISSUED", "REVOKED"]);
  });

  test("distinguishes certificates issued manually, issued for an order, and imported", async () => {
    const storeId = await createTestStore(registry);
    const causeOf = async (isImport: boolean, order?: object) => {
      const items = [issueItem(order === undefined ? {} : { order })];
      const { results } = await issuing.issueCertificates({ items, isImport }, by("x", storeId));
      return (await historyOf(storeId, results[0]?.certificateId ?? "")).map(({ cause }) => cause);
    };
    expect(await causeOf(false)).toEqual(["manual"]);
    expect(await causeOf(false, { id: "1" })).toEqual(["order"]);
    expect(await causeOf(true)).toEqual(["import"]);
    expect(await causeOf(true, { id: "2" })).toEqual(["import"]);
  });

  test.each<[string, Record<string, string>, string]>([
    ["records the actor `unknown` for a call without an actor", {}, "unknown"],
    ["records the actor `unknown` for an empty actor", { "x-actor": "" }, "unknown"],
    ["truncates an actor to 100 characters", { "x-actor": "a".repeat(101) }, "a".repeat(100)],
    ["records an actor unchanged", { "x-actor": "certctl/ada lovelace@host" }, "certctl/ada lovelace@host"],
  ])("%s", async (_name, headers, actor) => {
    const storeId = await createTestStore(registry);
    const { results } = await issuing.issueCertificates(
      { items: [issueItem()] },
      { headers: { ...inStore(storeId).headers, ...headers } },
    );
    const [entry] = await historyOf(storeId, results[0]?.certificateId ?? "");
    expect(entry?.actor).toBe(actor);
  });
});
