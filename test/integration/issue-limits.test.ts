import { describe, expect, test } from "vitest";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { inStore } from "../harness/in-store.ts";
import { type IssueItemChanges, issueItem } from "../harness/issue-items.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const storeId = await createTestStore(registry);

const x = (length: number) => "x".repeat(length);
const email = (length: number) => `${x(length - 2)}@b`;
const control = "a\u0007b";

interface Limit {
  /** Valid values, including those at the limits in proto/registry/v1/issuing_service.proto. */
  readonly good: readonly IssueItemChanges[];
  /** Values that must be refused. */
  readonly bad: readonly IssueItemChanges[];
}

const limits: Readonly<Record<string, Limit>> = {
  "product.id": {
    good: ["", x(64)].map((id) => ({ product: { id } })),
    bad: [x(65), control].map((id) => ({ product: { id } })),
  },
  "product.title": {
    good: ["x", x(255)].map((title) => ({ product: { title } })),
    bad: ["", x(256), control].map((title) => ({ product: { title } })),
  },
  "product.variant": {
    good: ["", x(255)].map((variant) => ({ product: { variant } })),
    bad: [x(256), control].map((variant) => ({ product: { variant } })),
  },
  "product.sku": {
    good: ["", x(255)].map((sku) => ({ product: { sku } })),
    bad: [x(256), control].map((sku) => ({ product: { sku } })),
  },
  "buyer.name": {
    good: ["x", x(255)].map((name) => ({ buyer: { name } })),
    bad: ["", x(256), control].map((name) => ({ buyer: { name } })),
  },
  "buyer.email": {
    good: ["a@b", email(254), "jürgen+tag@example.test"].map((address) => ({ buyer: { email: address } })),
    bad: ["", "a@", "@b", "a.b", "a b@c", "a@b@c", email(255), `${control}@b`].map((address) => ({
      buyer: { email: address },
    })),
  },
  "order.id": {
    good: ["0", "9".repeat(20)].map((id) => ({ order: { id } })),
    bad: ["", "9".repeat(21), "12a", "-1", "١٢", "1\n"].map((id) => ({ order: { id } })),
  },
  "order.name": {
    good: ["#1", `#${x(63)}`].map((name) => ({ order: { name } })),
    bad: ["", "#", "1001", `#${x(64)}`, `#${control}`].map((name) => ({ order: { name } })),
  },
  "order.line": {
    good: ["x", x(64)].map((line) => ({ order: { line } })),
    bad: ["", x(65), control].map((line) => ({ order: { line } })),
  },
  "order.unit": {
    good: [1, 10_000].map((unit) => ({ order: { unit } })),
    bad: [0, 10_001, 4_294_967_295].map((unit) => ({ order: { unit } })),
  },
  expires_at: {
    good: [{ expiresAt: { seconds: 253_402_300_799n, nanos: 999_000_000 } }],
    bad: [
      { expiresAt: { seconds: -62_135_596_801n } },
      { expiresAt: { seconds: -1n } },
      { expiresAt: { seconds: BigInt(Math.floor(Date.now() / 1_000)) } },
      { expiresAt: { seconds: 253_402_300_800n } },
      { expiresAt: { seconds: 9_223_372_036_854_775_807n } },
    ],
  },
};

async function tryItem(changes: IssueItemChanges) {
  const items = [issueItem(changes)];
  const { results } = await registry.issuing.issueCertificates({ items, dryRun: true }, inStore(storeId));
  return results[0];
}

describe.each(Object.entries(limits))("%s", (field, { good, bad }) => {
  test("is accepted within its limits", async () => {
    for (const changes of good)
      expect(await tryItem(changes), JSON.stringify(changes, String)).toMatchObject({
        outcome: IssueOutcome.ISSUED,
      });
  });

  test("is rejected if invalid, with the field name and the reason", async () => {
    for (const changes of bad) {
      const result = await tryItem(changes);
      expect(result).toMatchObject({ outcome: IssueOutcome.INVALID, field });
      expect(result?.reason?.text).toMatch(/^The .*\.$/);
    }
  });
});

test("stores an item whose fields have their maximum lengths, and lists it unchanged", async () => {
  const product = { id: x(64), title: x(255), variant: x(255), sku: x(255) };
  const buyer = { name: "ß".repeat(255), email: email(254) };
  const order = { id: "9".repeat(20), name: `#${x(63)}`, line: x(64), unit: 10_000 };
  const { results } = await registry.issuing.issueCertificates(
    {
      items: [issueItem({ product, buyer, order })],
    },
    inStore(storeId),
  );
  expect(results[0]?.outcome).toBe(IssueOutcome.ISSUED);
  const listed = await listAll(registry, storeId, { order: { case: "orderName", value: order.name } });
  expect(listed).toMatchObject([{ product, owner: buyer, order: { id: order.id, name: order.name } }]);
});

test.each<[string, object]>([
  ["products[1].id", { id: x(65), title: "A" }],
  ["products[1].title", { title: "" }],
  ["products[1].title", { title: x(256) }],
  ["products[1].variant", { title: "A", variant: x(256) }],
  ["products[1].sku", { title: "A", sku: x(256) }],
])("rejects a sample with a field that violates the limits of issued items: %s", async (field, bad) => {
  const call = registry.issuing.createSamples({ products: [{ title: "Good" }, bad] }, inStore(storeId));
  await expect(call).rejects.toThrow(`[invalid_argument] ${field} is invalid: `);
  expect(await registry.database.collections.samples.countDocuments()).toBe(0);
});
