import { expect, test } from "vitest";
import { inStore } from "../harness/in-store.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor } from "../harness/run-certctl.ts";
import { allProducts } from "../harness/storefront/rules.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const { storefront } = registry;
const rulesOf = async (storeId: string) => {
  const { rules, rulesVersion } = await storefront.getStorefront({}, inStore(storeId));
  return { names: rules.map(({ name }) => name), rulesVersion };
};
const named = (name: string) => ({ ...allProducts, name });
const conflict = {
  code: 6,
  message: expect.stringMatching(/^\[already_exists\] The rules have changed in the meantime\./),
};

test("a change based on an earlier version of the rules is refused and changes nothing", async () => {
  const storeId = await createTestStore(registry);
  const first = { storeId, rules: [named("first")], expectedVersion: 0 };
  expect(await storefront.setStorefrontRules(first, inStore(first.storeId))).toMatchObject({ rulesVersion: 1 });
  const second = { storeId, rules: [named("second")], expectedVersion: 0 };
  await expect(storefront.setStorefrontRules(second, inStore(second.storeId))).rejects.toMatchObject(conflict);
  expect(await rulesOf(storeId)).toEqual({ names: ["first"], rulesVersion: 1 });
  const { entries } = await registry.inspection.listStoreHistory({}, inStore(storeId));
  expect(entries.filter(({ action }) => action === "storefront_rules.set")).toHaveLength(1);
  expect(await storefront.setStorefrontRules({ ...second, expectedVersion: 1 }, inStore(second.storeId))).toMatchObject(
    { rulesVersion: 2 },
  );
});

test("of several concurrent changes based on the same version of the rules, exactly one takes effect", async () => {
  const storeId = await createTestStore(registry);
  for (const expectedVersion of [0, 1]) {
    const rules = Array.from({ length: 8 }, (_, index) => named(`rule-${expectedVersion}-${index}`));
    const changes = rules.map((rule) =>
      storefront.setStorefrontRules({ rules: [rule], expectedVersion }, inStore(storeId)),
    );
    const results = await Promise.allSettled(changes);
    const won = results.flatMap(({ status }, index) => (status === "fulfilled" ? [rules[index]?.name] : []));
    expect(await rulesOf(storeId)).toEqual({ names: won, rulesVersion: expectedVersion + 1 });
    for (const result of results) if (result.status === "rejected") expect(result.reason).toMatchObject(conflict);
  }
});

test("a change without an expected version replaces the rules, whatever their version", async () => {
  const storeId = await createTestStore(registry);
  for (const name of ["one", "two"]) await storefront.setStorefrontRules({ rules: [named(name)] }, inStore(storeId));
  expect(await rulesOf(storeId)).toEqual({ names: ["two"], rulesVersion: 2 });
});

test("concurrent certctl commands lose none of their changes to the rules", { timeout: 180_000 }, async () => {
  const storeId = await createTestStore(registry);
  const names = ["one", "two", "three"];
  const certctl = (...args: string[]) => runCertctlFor(registry, storeId, "storefront", "rules", ...args);
  const results = await Promise.all(names.map((name) => certctl("set", name, "--all")));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect((await rulesOf(storeId)).names.toSorted()).toEqual(names.toSorted());
  expect((await certctl("remove", "two")).code).toBe(0);
  expect((await certctl("remove", "two")).error).toContain("The rule 'two' does not exist.");
  expect((await rulesOf(storeId)).names.toSorted()).toEqual(["one", "three"]);
});
