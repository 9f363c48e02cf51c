import { describe, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor } from "../harness/run-certctl.ts";
import { createStoreWithWebhook, createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const { issuing, lifecycle, notifier } = registry;

const certctlFor =
  (storeId: string) =>
  (...args: string[]) =>
    runCertctlFor(registry, storeId, ...args);
const fieldsOf = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

/** Settles every event of a store as refused, in order. @param statuses one per event; the last one is reused */
async function deliverAll(storeId: string, statuses: readonly number[]): Promise<void> {
  for (const [index, { id, certificateId }] of (await waitingEvents(registry.database, storeId)).entries()) {
    await notifier.claimDeliveries({ claims: [{ eventId: id, storeId, certificateId, type: 1 }] });
    const status = statuses[Math.min(index, statuses.length - 1)] ?? 500;
    const why = reason("delivered", { status });
    await notifier.recordOutcomes({
      outcomes: [{ eventId: id, kind: OutcomeKind.REFUSED, httpStatus: status, reason: why }],
    });
  }
}

test("three commands lead from an owner's e-mail address to a certificate, its history and its last delivery", async () => {
  const { storeId } = await createStoreWithWebhook(registry);
  const certctl = certctlFor(storeId);
  const certificateId = await issueOne(registry, storeId, { buyer: { email: "Ada@Example.test" }, order: {} });
  await lifecycle.revokeCertificate({ certificateId, cause: 1 }, inStore(storeId));
  await issueOne(registry, storeId, { buyer: { email: "grace@example.test" } });
  await deliverAll(storeId, [501, 502, 503]);

  const found = await certctl("certificate", "find", "ada@example.test");
  const [[serial, id = "", status, owner, order, product] = []] = fieldsOf(found.out);
  expect({ ...found, out: [serial, id, status, owner, order, product] }).toEqual({
    code: 0,
    out: [
      "000001",
      certificateId,
      "revoked",
      "Ada Example <Ada@Example.test>",
      "#1001 (450789469)",
      "Alpine Jacket, M / Blue",
    ],
    error: "",
  });
  const history = await certctl("certificate", "history", id);
  expect(fieldsOf(history.out).map(([, event, cause]) => [event, cause])).toEqual([
    ["issued", "order"],
    ["revoked", "refund"],
  ]);
  const last = await certctl("event", "list", "--certificate", id, "--limit", "1");
  expect(last.out).toMatch(
    new RegExp(`^\\S+  evt_\\w+  ${id}  .* refused  .*\n    The receiver replied with status 502\\.\n$`),
  );
});

describe("certctl certificate find", () => {
  test("finds a certificate by order name, order id, serial number or id, and prints each match once", async () => {
    const storeId = await createTestStore(registry);
    const certctl = certctlFor(storeId);
    const order = { id: "2", name: "#1002" };
    const items = [issueItem({ order }), issueItem({ order: { ...order, unit: 2 } }), issueItem()];
    const ids = (await issuing.issueCertificates({ items }, inStore(storeId))).results.map(
      (result) => result.certificateId,
    );
    const [one, two] = ids;
    const found = await Promise.all(
      ["#1002", "1002", "2", "000003", ids[0] ?? ""].map((text) => certctl("certificate", "find", text)),
    );
    // 2 is the order id of the first two certificates and the serial number of the second, which is listed first.
    expect(found.map(({ out }) => fieldsOf(out).map(([, id]) => id))).toEqual([
      [one, two],
      [one, two],
      [two, one],
      [ids[2]],
      [one],
    ]);
  });

  test("prints at most --limit certificates in all, and states that more match", async () => {
    const storeId = await createTestStore(registry);
    const order = { id: "2", name: "#1002" };
    const items = [issueItem({ order }), issueItem()];
    const ids = (await issuing.issueCertificates({ items }, inStore(storeId))).results.map(
      (result) => result.certificateId,
    );
    // 2 is the order id of the first certificate and the serial number of the second.
    const { out, error } = await certctlFor(storeId)("certificate", "find", "2", "--limit", "1");
    expect(fieldsOf(out).map(([, id]) => id)).toEqual([ids[1]]);
    expect(error).toBe("More certificates match. Raise --limit, or run 'certctl certificate list'.\n");
  });

  test("shows the status sample for a sample; certctl certificate history refuses a sample with one sentence", async () => {
    const storeId = await createTestStore(registry);
    const certctl = certctlFor(storeId);
    const { certificateIds } = await issuing.createSamples(
      { products: [{ title: "Poster", variant: "A3" }] },
      inStore(storeId),
    );
    const [sampleId = ""] = certificateIds;
    const { code, out } = await certctl("certificate", "find", sampleId);
    expect([code, ...(fieldsOf(out)[0] ?? []).slice(0, -1)]).toEqual([
      0,
      "-",
      sampleId,
      "sample",
      "-",
      "-",
      "Poster, A3",
    ]);
    expect(await certctl("certificate", "history", sampleId)).toEqual({
      code: 2,
      out: "",
      error: `certctl: ${sampleId} is a sample. This command works only with certificates.\n`,
    });
  });

  test("states the search text and exits with 1 if no certificate matches", async () => {
    const certctl = certctlFor(await createTestStore(registry));
    const sentences = {
      9: "9.",
      "nobody@example.test": "nobody@example.test. An e-mail address matches only current owners.",
    };
    const ran = await Promise.all(Object.keys(sentences).map((text) => certctl("certificate", "find", text)));
    expect(ran).toEqual(
      Object.values(sentences).map((rest) => ({
        code: 1,
        out: "",
        error: `certctl: The store has no certificate for ${rest}\n`,
      })),
    );
  });
});

test("certctl certificate list accepts the API's filters, and prints how to continue if more certificates match", async () => {
  const storeId = await createTestStore(registry);
  const certctl = certctlFor(storeId);
  const { results } = await issuing.issueCertificates(
    { items: [issueItem({ order: {} }), issueItem()] },
    inStore(storeId),
  );
  const [one = "", two = ""] = results.map(({ certificateId }) => certificateId);
  await lifecycle.revokeCertificate({ certificateId: one, cause: 1 }, inStore(storeId));
  const filters = ["--email", "ADA@example.test", "--order", "#1001", "--serial", "1", "--status", "revoked"];
  const [filtered, first] = await Promise.all([
    certctl("certificate", "list", ...filters, "--updated-since", "2026-01-01T00:00:00Z"),
    certctl("certificate", "list", "--limit", "1"),
  ]);
  const found = [filtered, first].map(({ out }) => fieldsOf(out).map((fields) => fields.slice(0, 3)));
  expect(found).toEqual([[["000001", one, "revoked"]], [["000002", two, "active"]]]);
  const changedAt = fieldsOf(first.out)[0]?.at(-1) ?? "";
  expect(first.error).toBe(`More certificates match. Continue with --updated-since ${changedAt}\n`);
  const rest = await certctl("certificate", "list", "--updated-since", changedAt);
  expect([fieldsOf(rest.out).map(([, id]) => id), rest.error]).toEqual([[one], ""]);
});
