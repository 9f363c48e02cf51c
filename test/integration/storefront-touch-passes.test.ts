import { beforeEach, expect, test } from "vitest";
import { touchWaitingMax } from "../../services/registry/mongo/due-work/due-orders.ts";
import type { MessageContent, Refund } from "../../services/registry/storefront/message.ts";
import { lineFixture, orderFixture, ruleFixture } from "../../services/registry/storefront/order-fixture.ts";
import type { StorefrontRule } from "../../services/registry/storefront/rules.ts";
import { setRules } from "../../services/registry/storefront/set-rules.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createRegistry } from "../simulation/simulated-registry.ts";
import { createSimulatedStore } from "../simulation/simulated-store.ts";
import { VirtualClock } from "../simulation/virtual-clock.ts";

const database = await openTestDatabase();
const { storefronts, storefrontOrders, certificates } = database.collections;

const clock = new VirtualClock(Date.UTC(2030, 0, 1));
const start = () => createRegistry(database, { clock, databaseClock: clock });
const registry = start();
let storeId = "";
let count = 0;

beforeEach(async () => {
  count += 1;
  storeId = await createSimulatedStore(database, `passes-${count}.example.test`);
});

const ruleFor = (productId: string) => ruleFixture({ name: productId, selector: { by: "product", productId } });

function change(rules: readonly StorefrontRule[]): Promise<number> {
  return setRules(registry, storeId, { rules, expectedVersion: undefined, now: new Date(clock.now()), actor: "test" });
}

async function report(topic: string, content: MessageContent): Promise<void> {
  count += 1;
  await registry.inbox.add(storeId, { id: `m${count}`, topic, triggeredAtMs: clock.now(), content }, "waiting");
}

function place(id: string, productId: string): Promise<void> {
  const line = lineFixture({ id: `${id}0`, productId, quantity: 1, currentQuantity: 1 });
  const order = orderFixture({ id, createdAtMs: clock.now(), updatedAtMs: clock.now(), lines: [line] });
  return report("orders/paid", { kind: "order", order });
}

/** Works on one batch. Time passes meanwhile. */
function work(isSuspect = false): Promise<boolean> {
  clock.advance(1_000);
  return registry.work(storeId, isSuspect);
}

async function workUntilIdle(): Promise<void> {
  for (let idle = 0; idle < 2; clock.advance(10_000)) idle = (await work()) ? 0 : idle + 1;
}

const stored = () => storefronts.findOne({ _id: storeId });
const activeCount = () => certificates.countDocuments({ store: storeId, status: "active" });

test("rules that change while a worker makes orders due concern each order, also those that were compared by then", async () => {
  for (const id of ["1", "2", "3"]) await place(id, "7002");
  await workUntilIdle();
  await change([ruleFor("7001")]);
  await work(true);
  expect(await stored()).toMatchObject({ touching: { after: `${storeId}/1` } });
  await change([ruleFor("7002")]);
  await workUntilIdle();
  expect(await activeCount()).toBe(3);
  expect(await stored()).not.toHaveProperty("touching");
  expect(await stored()).not.toHaveProperty("touchSince");
});

test("a refund takes effect while changed rules are still making the store's orders due", async () => {
  const orderCount = 230;
  for (let id = 1; id <= orderCount; id += 1) await place(String(id), "7001");
  await change([ruleFor("7001")]);
  await workUntilIdle();
  expect(await activeCount()).toBe(orderCount);
  const compared = () => storefrontOrders.countDocuments({ store: storeId, version: { $gt: 1 } });
  expect(await compared()).toBe(0);
  await change([ruleFor("7001"), ruleFor("7002")]);
  await work();
  const refund: Refund = { id: "1", units: [{ lineId: "990", quantity: 1 }] };
  await report("refunds/create", { kind: "refund", orderId: "99", refund });
  await work();
  await work();
  expect(await activeCount()).toBe(orderCount - 1);
  expect(await compared()).toBeLessThan(orderCount);
  expect(await stored()).toMatchObject({ touching: { after: expect.any(String) } });
  await workUntilIdle();
  expect(await compared()).toBe(orderCount);
});

test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  "a worker that was frozen after %i calls and results settles no order by the rules that it had read before",
  async (callCount) => {
    await place("1", "7001");
    await workUntilIdle();
    await report("refunds/create", { kind: "refund", orderId: "2", refund: { id: "1", units: [] } });
    const frozen = start();
    await frozen.freezer.advance(() => frozen.work(storeId), callCount);
    await change([ruleFor("7001")]);
    // Dies after it has made the order due.
    const dying = start();
    await dying.freezer.advance(() => dying.work(storeId), 4);
    expect(await storefrontOrders.findOne({ _id: `${storeId}/1` })).toMatchObject({ version: 2 });
    await frozen.freezer.advance(() => frozen.work(storeId));
    await workUntilIdle();
    expect(await activeCount()).toBe(1);
  },
);

test("more changed inputs than a document should list make all orders due, also if it happens again meanwhile", async () => {
  const tagged = ruleFixture({ name: "limited", selector: { by: "tag", tag: "limited" } });
  for (const id of ["1", "2", "3"]) await place(id, id);
  await change([tagged]);
  await workUntilIdle();
  const others = Array.from({ length: touchWaitingMax }, (_, index) => `other ${index}`);
  const reportTags = async (id: string) => {
    await storefronts.updateOne({ _id: storeId }, { $set: { touchWaiting: others } });
    const rank = { updatedAtMs: clock.now(), triggeredAtMs: clock.now(), messageId: "" };
    const product = { id, tags: ["limited"], updatedAtMs: clock.now(), imageUrl: "" };
    await registry.products.put(storeId, [{ product, rank }]);
  };
  await reportTags("3");
  expect(await stored()).not.toHaveProperty("touchWaiting");
  await work(true);
  expect(await stored()).toMatchObject({ touching: { after: `${storeId}/1` } });
  await reportTags("1");
  await workUntilIdle();
  expect(await activeCount()).toBe(2);
  expect(await stored()).not.toHaveProperty("touchSince");
});

test("orders that a change of the rules does not concern are passed over in steps, however many they are", async () => {
  await place("9", "7001");
  await workUntilIdle();
  const concerned = await storefrontOrders.findOne({ _id: `${storeId}/9` });
  if (concerned === null) throw new Error("the order is not stored");
  const orderedAt = new Date(concerned.orderedAt.getTime() - 400 * 86_400_000);
  const earlier = Array.from({ length: 4_500 }, (_, index) => ({
    ...concerned,
    _id: `${storeId}/8${index}`,
    orderedAt,
  }));
  await storefrontOrders.insertMany(earlier);
  await change([{ ...ruleFor("7001"), since: concerned.orderedAt }]);
  const positions: (string | undefined)[] = [];
  for (let steps = 0; steps < 3; steps += 1) {
    await work();
    positions.push((await stored())?.touching?.after);
  }
  const ids = earlier.map(({ _id }) => _id).toSorted();
  expect(positions).toEqual([ids[1_999], ids[3_999], undefined]);
  expect(await activeCount()).toBe(1);
  expect(await storefrontOrders.countDocuments({ store: storeId, version: { $gt: concerned.version } })).toBe(1);
});
