import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { inStore } from "../harness/in-store.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createKeyedStore, createTestStore } from "../harness/test-stores.ts";
import { issueTitled, titlesOf } from "./titled-certificates.ts";

const registry = await openTestRegistry();

test("returns each certificate once for any page size, and no next position on the last page", async () => {
  const storeId = await issueTitled(registry, Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, {}])));
  const all = titlesOf(await listAll(registry, storeId));
  for (const limit of [1, 2, 3, 5, 9, 10, 11, 100])
    expect(titlesOf(await listAll(registry, storeId, { limit }))).toEqual(all);
  const whole = await registry.inspection.findCertificates({ limit: 10 }, inStore(storeId));
  expect(whole.next).toBeUndefined();
  const nine = await registry.inspection.findCertificates({ limit: 9 }, inStore(storeId));
  expect(nine.next).toBeDefined();
});

test.each([0, 101])("rejects a limit of %i and names the field", async (limit) => {
  const { keySha256 } = await createKeyedStore(registry);
  const call = registry.edge.handleList({ keySha256, admissionId: randomBytes(16), page: { limit } });
  await expect(call).rejects.toMatchObject({ code: "bad_request", field: "limit", message: "limit must be 1 to 100" });
});

test("returns not_found for an unknown store, and never returns another store's certificates", async () => {
  await expect(registry.inspection.findCertificates({ limit: 1 }, inStore("sto_none"))).rejects.toThrow(
    "[not_found] There is no such store.",
  );
  await issueTitled(registry, { a: {} });
  expect(await listAll(registry, await createTestStore(registry))).toEqual([]);
});

test.each([
  [{ limit: 101 }, "limit must be at most 100"],
  [{ limit: 1_001, asJson: true }, "limit must be at most 1000"],
  [{ updatedSince: { seconds: 1n << 60n } }, "updated_since is out of range"],
  [{ after: { seconds: 1n << 60n } }, "after is out of range"],
  [{ status: 99 }, "status is missing or unknown"],
])("findCertificates refuses the query %o", async (query, message) => {
  const storeId = await createTestStore(registry);
  await expect(registry.inspection.findCertificates(query, inStore(storeId))).rejects.toThrow(message);
});
