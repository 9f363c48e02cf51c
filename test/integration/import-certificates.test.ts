import { expect, test } from "vitest";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { inStore } from "#shared/rpc/scope-metadata.ts";
import { issueItem, orderItems } from "../harness/issue-items.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();

async function failureOf(replies: AsyncIterable<unknown>) {
  try {
    for await (const _ of replies);
  } catch (error) {
    return toServiceError(error);
  }
  throw new Error("the import succeeded although it should have failed");
}

test("reports the outcomes of a batch's items once the certificates of the batch are durable", async () => {
  const storeId = await createTestStore(registry);
  const sent: number[] = [];
  async function* parts() {
    for (let part = 0; part < 4; part++) {
      sent.push(part);
      const good = orderItems(20, { line: String(part) });
      yield {
        items: [...good, issueItem({ buyer: { email: "nobody" } })],
      };
    }
  }
  let answered = 0;
  for await (const { results, itemsDone } of registry.issuing.importCertificates(parts(), inStore(storeId))) {
    answered++;
    expect(results.map(({ outcome }) => outcome)).toEqual([
      ...Array<IssueOutcome>(20).fill(IssueOutcome.ISSUED),
      IssueOutcome.INVALID,
    ]);
    expect(results.at(-1)?.field).toBe("buyer.email");
    expect(itemsDone).toBe(BigInt(answered * 21));
    expect((await listAll(registry, storeId)).length).toBeGreaterThanOrEqual(answered * 20);
  }
  expect(sent).toEqual([0, 1, 2, 3]);
  expect(await listAll(registry, storeId)).toHaveLength(80);
});

test("applies backpressure to an import that arrives faster than it can be stored", async () => {
  const storeId = await createTestStore(registry);
  // Three bytes a character: large parts fill what lies between client and registry before many are stored.
  const title = "証".repeat(250);
  const person = { name: "証".repeat(200), email: `${"x".repeat(200)}@example.com` };
  const partCount = 200;
  let ahead = 0;
  let aheadMost = 0;
  async function* parts() {
    for (let part = 0; part < partCount; part++) {
      aheadMost = Math.max(aheadMost, ++ahead);
      const product = { title, variant: title, sku: "" };
      yield { items: Array.from({ length: 20 }, () => issueItem({ product, buyer: person })) };
    }
  }
  for await (const _ of registry.issuing.importCertificates(parts(), inStore(storeId))) ahead--;
  expect(ahead).toBe(0);
  expect(aheadMost).toBeLessThan(partCount / 2);
});

test("ends an import at an invalid batch with an error that names the field, and keeps earlier batches", async () => {
  const storeId = await createTestStore(registry);
  async function* parts() {
    yield { items: orderItems(3) };
    yield { items: [] };
  }
  expect(await failureOf(registry.issuing.importCertificates(parts(), inStore(storeId)))).toMatchObject({
    code: "bad_request",
    field: "items",
  });
  expect(await listAll(registry, storeId)).toHaveLength(3);
});

test("refuses an import into an unknown store, and rejects with any error that the request stream throws", async () => {
  async function* unknown() {
    yield { items: [issueItem()] };
  }
  expect(await failureOf(registry.issuing.importCertificates(unknown(), inStore("sto_unknown")))).toMatchObject({
    code: "not_found",
  });
  const storeId = await createTestStore(registry);
  async function* broken() {
    yield { items: [issueItem()] };
    throw new Error("the file ended early");
  }
  const failing = async () => {
    for await (const _ of registry.issuing.importCertificates(broken(), inStore(storeId)));
  };
  await expect(failing()).rejects.toThrow("the file ended early");
});
