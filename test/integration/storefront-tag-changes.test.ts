import { beforeEach, expect, test } from "vitest";
import { ruleFixture } from "../../services/registry/storefront/order-fixture.ts";
import { setRules } from "../../services/registry/storefront/set-rules.ts";
import { createStore } from "../../services/registry/stores/create-store.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createRegistry } from "../simulation/simulated-registry.ts";
import { VirtualClock } from "../simulation/virtual-clock.ts";

const database = await openTestDatabase();
const { storefronts, storefrontMessages, storefrontOrders, certificates } = database.collections;

const clock = new VirtualClock(Date.UTC(2030, 0, 1));
const start = () => createRegistry(database, { clock, databaseClock: clock });
const registry = start();
let storeId = "";
let count = 0;

const limited = ruleFixture({ name: "limited", selector: { by: "tag", tag: "limited" } });

beforeEach(async () => {
  const settings = { editionStyle: "number_total", verifyBaseUrl: "", language: "en", displayName: "" } as const;
  const shop = `tags-${++count}.example.test`;
  const input = { ...settings, ownerDisplay: "nothing", shop, plan: "pro", actor: "test" } as const;
  ({ id: storeId } = await createStore(registry.stores, input));
  const request = { rules: [limited], expectedVersion: undefined, now: new Date(clock.now()), actor: "test" };
  await setRules(registry, storeId, request);
});

/** Reports a product's tags. @returns the id of the message */
async function reportTags(id: string, tags: readonly string[]): Promise<string> {
  clock.advance(1_000);
  const product = { id, tags, updatedAtMs: clock.now(), imageUrl: "" };
  const message = { id: `m${++count}`, topic: "products/update", triggeredAtMs: clock.now() };
  await registry.inbox.add(storeId, { ...message, content: { kind: "product", product } }, "waiting");
  return message.id;
}

async function placeOrder(productId: string): Promise<string> {
  const id = String(++count);
  const line = { id: `${id}0`, productId, title: "Print", variant: "", sku: "", quantity: 1 };
  const order = {
    id,
    name: `#${id}`,
    createdAtMs: clock.now(),
    updatedAtMs: clock.now(),
    payment: "paid",
    isCancelled: false,
    isTest: false,
    buyer: { name: "Ada", email: "ada@example.test", customerId: "" },
    lines: [{ ...line, currentQuantity: 1, isGiftCard: false }],
    refunds: [],
  } as const;
  const message = { id: `m${++count}`, topic: "orders/paid", triggeredAtMs: clock.now() };
  await registry.inbox.add(storeId, { ...message, content: { kind: "order", order } }, "waiting");
  return id;
}

async function workUntilIdle(): Promise<void> {
  for (let idle = 0; idle < 2; clock.advance(10_000)) idle = (await registry.work(storeId)) ? 0 : idle + 1;
}

test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  "changed tags make their orders due, although the replica that stored them died after %i calls and results",
  async (callCount) => {
    await reportTags("7001", []);
    await placeOrder("7001");
    await workUntilIdle();
    const first = await reportTags("7001", ["limited"]);
    const dying = start();
    dying.freezer.freezeAt(callCount);
    await dying.freezer.run(dying.work(storeId));
    // A later state arrives before another replica repeats the message, for example because an attempt has failed.
    const later = { $set: { dueAt: new Date(clock.now() + 5_000) } };
    await storefrontMessages.updateOne({ _id: `${storeId}/${first}`, dueAt: { $exists: true } }, later);
    await reportTags("7001", ["limited", "new"]);
    await workUntilIdle();
    expect(await certificates.countDocuments({ store: storeId })).toBe(1);
  },
);

test("changed tags make only the orders due that contain the product, and none if no rule depends on the change", async () => {
  await reportTags("7001", []);
  await reportTags("7002", []);
  const orders = [await placeOrder("7001"), await placeOrder("7002")];
  await workUntilIdle();
  const versions = async () => {
    const found = await storefrontOrders.find({ store: storeId }).toArray();
    return orders.map((id) => found.find(({ _id }) => _id === `${storeId}/${id}`)?.version);
  };
  const [first = 0, second = 0] = await versions();
  await reportTags("7001", ["new"]);
  await reportTags("7001", ["new"]);
  await workUntilIdle();
  expect(await versions()).toEqual([first, second]);
  await reportTags("7001", ["limited"]);
  await workUntilIdle();
  expect(await versions()).toEqual([first + 1, second]);
  expect(await storefronts.findOne({ _id: storeId })).not.toHaveProperty("touchWaiting");
});

test("while products keep arriving, only the changed tags of one batch of messages wait to make their orders due", async () => {
  for (let product = 1; product <= 450; product += 1) await reportTags(String(product), ["limited"]);
  const waiting: number[] = [];
  for (let batch = 0; batch < 4; batch += 1) {
    await registry.work(storeId);
    waiting.push((await storefronts.findOne({ _id: storeId }))?.touchWaiting?.length ?? 0);
  }
  expect(waiting).toEqual([200, 200, 50, 0]);
});
