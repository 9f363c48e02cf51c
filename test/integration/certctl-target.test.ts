import { expect, test } from "vitest";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor, runCertctlWith } from "../harness/run-certctl.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();

async function shopOf(storeId: string): Promise<string> {
  return (await registry.admin.getStore({}, inStore(storeId))).store?.shop ?? "";
}

test("a command that changes a store prints the store and the registry on standard error, even in a preview; a command that only reads does not", async () => {
  const storeId = await createTestStore(registry);
  await issueOne(registry, storeId);
  const shop = await shopOf(storeId);
  const error = `target: store ${shop} (${storeId}), registry ${registry.address}\n`;
  const run = (...args: string[]) => runCertctlFor(registry, shop, ...args);
  const commands = [
    ["plan", "set", "basic"],
    ["certificate", "revoke", "1"],
    ["certificate", "show", "1"],
  ];
  const ran = await Promise.all(commands.map((args) => run(...args)));
  expect(ran.map(({ code, error: printed }) => [code, printed])).toEqual([
    [0, error],
    [0, error],
    [0, ""],
  ]);
});

test("store create prints the registry and the source of its address", async () => {
  const variables = { CERTCTL_REGISTRY: registry.address };
  expect(await runCertctlWith(variables, "store", "create", "target.example")).toMatchObject({
    code: 0,
    error: `target: registry ${registry.address} (CERTCTL_REGISTRY)\n`,
  });
});

test("CERTCTL_STORE selects the store, and --store takes precedence", async () => {
  const [one, another] = [await createTestStore(registry), await createTestStore(registry)];
  const variables = { CERTCTL_REGISTRY: registry.address, CERTCTL_STORE: one };
  expect((await runCertctlWith(variables, "settings", "show")).out).toContain(one);
  expect((await runCertctlWith(variables, "--store", another, "settings", "show")).out).toContain(another);
});

test("a failed call prints the registry and the source of its address", async () => {
  const { code, error } = await runCertctlWith({ CERTCTL_REGISTRY: "127.0.0.1:1" }, "store", "list");
  expect(code).toBe(5);
  expect(error).toMatch(/^certctl: .* \(registry: 127\.0\.0\.1:1 \(CERTCTL_REGISTRY\)\)\n$/);
});
