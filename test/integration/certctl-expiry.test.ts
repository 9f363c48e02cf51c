import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctl } from "../harness/run-certctl.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();

let storeId: string;
beforeEach(async () => {
  storeId = await createTestStore(registry);
});

const certctl = (...args: string[]) => runCertctl("--registry", registry.address, "--store", storeId, ...args);
const issue = ["certificate", "issue", "--title", "Poster", "--name", "Ada", "--email", "ada@example.test"] as const;
const orders = fileURLToPath(new URL("../../deploy/local/demo/orders_export.csv", import.meta.url));

const expires = ["--expires", "2100-01-01T00:00:00+01:00"] as const;
const expiresAt = "2099-12-31T23:00:00.000Z";

test("certificate issue sets the expiry from --expires, and without this option issues a certificate that never expires", async () => {
  for (const options of [expires, []]) expect((await certctl(...issue, ...options)).code).toBe(0);
  const listed = await listAll(registry, storeId);
  expect(listed.map((certificate) => certificate.expiresAt)).toEqual([expiresAt, null]);
});

test("certificate issue issues only one certificate when an idempotency key is repeated", async () => {
  const run = () => certctl(...issue, "--idempotency-key", "order-desk-7");
  const first = await run();
  expect(first.code).toBe(0);
  expect(await run()).toEqual(first);
  expect(await listAll(registry, storeId)).toHaveLength(1);
});

test("certificate issue refuses an expiry in the past", async () => {
  expect(await certctl(...issue, "--expires", "1969-12-31T23:59:59Z")).toMatchObject({
    code: 2,
    error: expect.stringContaining("--expires is invalid: The expiry must be later than the time of issue."),
  });
  expect(await listAll(registry, storeId)).toEqual([]);
});

test("import orders --expires sets the expiry of all certificates, and a repeated import without this option does not change it", async () => {
  // The export has unusable rows.
  for (const options of [expires, []]) expect((await certctl("import", "orders", orders, ...options)).code).toBe(3);
  const listed = await listAll(registry, storeId);
  expect(new Set(listed.map((certificate) => certificate.expiresAt))).toEqual(new Set([expiresAt]));
});
