import { expect, test } from "vitest";
import { eraseUntilNothingIsFound } from "#shared/erasure/erase-until-nothing-is-found.ts";
import { steadyClock, systemClock } from "#shared/time/clock.ts";
import { erasePerson } from "../../services/registry/persons/erase-person.ts";
import { lineFixture, orderFixture, ruleFixture } from "../../services/registry/storefront/order-fixture.ts";
import { setRules } from "../../services/registry/storefront/set-rules.ts";
import { createStore } from "../../services/registry/stores/create-store.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { heldTransaction } from "../simulation/held-transaction.ts";
import { createRegistry } from "../simulation/simulated-registry.ts";
import { VirtualClock } from "../simulation/virtual-clock.ts";

const database = await openTestDatabase();
const clock = new VirtualClock(Date.UTC(2030, 0, 1));
const start = () => createRegistry(database, { clock, databaseClock: clock });
const registry = start();

const rule = ruleFixture();

/** After how many calls and results the workers freeze. */
interface Freezes {
  /** The first worker, which has taken the message: until the erasure. */
  readonly first: number;
  /** The first worker, until the second one continues. Default: it stays frozen. */
  readonly firstAgain?: number;
  /** The second worker, before the message arrives. Default: it begins after the erasure. */
  readonly early?: number;
  /** The second worker, after the erasure. */
  readonly second: number;
}

/**
 * Erases a buyer by address while one worker is frozen, or two.
 *
 * @returns what is stored about the store
 */
async function eraseDuringWork(email: string, { first: firstCalls, firstAgain, early, second: secondCalls }: Freezes) {
  const storeId = await createStoreWithRule(email);
  const [first, second] = [start(), start()];
  if (early !== undefined) await second.freezer.advance(() => second.work(storeId), early);
  await receiveOrder(storeId, email);
  await first.freezer.advance(() => first.work(storeId), firstCalls);
  await erase(storeId, email);
  if (firstAgain !== undefined) await first.freezer.advance(() => first.work(storeId), firstAgain);
  await second.freezer.advance(() => second.work(storeId), secondCalls);
  for (const { freezer, work } of [first, second]) await freezer.advance(() => work(storeId));
  return finish(storeId);
}

async function createStoreWithRule(email: string): Promise<string> {
  const settings = { editionStyle: "number_total", verifyBaseUrl: "", language: "en", displayName: "" } as const;
  const shop = `${email.slice(0, email.indexOf("@"))}.example.test`;
  const input = { ...settings, ownerDisplay: "nothing", shop, plan: "pro", actor: "test" } as const;
  const { id: storeId } = await createStore(registry.stores, input);
  const request = { rules: [rule], expectedVersion: undefined, now: new Date(clock.now()), actor: "test" };
  await setRules(registry, storeId, request);
  return storeId;
}

async function receiveOrder(storeId: string, email: string): Promise<void> {
  const order = orderFixture({ buyer: { name: "Mina", email, customerId: "" }, lines: [lineFixture()] });
  const message = { id: "m1", topic: "orders/paid", triggeredAtMs: clock.now() };
  await registry.inbox.add(storeId, { ...message, content: { kind: "order", order } }, "waiting");
}

async function erase(storeId: string, email: string, { persons } = registry): Promise<void> {
  await eraseUntilNothingIsFound({
    step: ({ isSearch: isDryRun, position }) => erasePerson(persons, { storeId, email, isDryRun, position }),
    beforeRepeating: async () => {
      clock.advance(10_000);
      return true;
    },
  });
}

/** Lets the store come to rest. @returns what is stored about the store */
async function finish(storeId: string): Promise<string> {
  while (await registry.work(storeId)) clock.advance(10_000);
  const { certificates, storefrontOrders, storefrontMessages, outbox, history } = database.collections;
  const collections = [certificates, storefrontOrders, storefrontMessages, outbox, history];
  return JSON.stringify(await Promise.all(collections.map((one) => one.find({ store: storeId }).toArray())));
}

// The calls of a worker for a store with one message, and their results.
const callCounts = Array.from({ length: 24 }, (_, index) => index + 1);

test.each(callCounts)(
  "an erasure by address is complete, although a worker of the connector froze after %i calls and results",
  async (first) => {
    const email = `mina${first}@example.test`;
    expect(await eraseDuringWork(email, { first, second: Number.POSITIVE_INFINITY })).not.toContain(email);
  },
);

test.each(callCounts)(
  "an erasure by address is complete, although two workers froze before they wrote, the second after %i calls",
  async (second) => {
    const email = `mona${second}@example.test`;
    expect(await eraseDuringWork(email, { first: 9, second })).not.toContain(email);
  },
);

// The calls of a worker for a store that has neither messages nor orders.
const earlyCounts = Array.from({ length: 8 }, (_, index) => index + 1);

test.each(earlyCounts)(
  "an erasure by address is complete, although a worker froze after %i calls, before the message arrived",
  async (early) => {
    for (const first of callCounts.slice(4, 12)) {
      const email = `mira${early}x${first}@example.test`;
      const freezes = { early, first, firstAgain: 2, second: Number.POSITIVE_INFINITY };
      expect(await eraseDuringWork(email, freezes), `first: ${first}`).not.toContain(email);
    }
  },
);

test("an erasure by address is complete, although a frozen worker stored the order, and another takes one message at a time", async () => {
  const email = "mara@example.test";
  const storeId = await createStoreWithRule(email);
  while (await registry.work(storeId));
  const product = { id: "7009", tags: [], updatedAtMs: clock.now(), imageUrl: "" };
  const message = { id: "m0", topic: "products/update", triggeredAtMs: clock.now() };
  await registry.inbox.add(storeId, { ...message, content: { kind: "product", product } }, "waiting");
  clock.advance(1);
  await receiveOrder(storeId, email);
  const { freezer, work } = start();
  await freezer.advance(() => work(storeId), "orders.write");
  await erase(storeId, email);
  await freezer.advance(() => work(storeId), "inbox.settle");
  while (await registry.work(storeId, true)) clock.advance(10_000);
  await freezer.advance(() => work(storeId));
  expect(await finish(storeId)).not.toContain(email);
});

test("an erasure by address is complete, although a worker froze inside the transaction that issues", async () => {
  const email = "mila@example.test";
  const storeId = await createStoreWithRule(email);
  while (await registry.work(storeId));
  await receiveOrder(storeId, email);
  const { advance, begun, release } = heldTransaction();
  const { work } = createRegistry(database, { clock, databaseClock: clock, advance });
  const working = work(storeId);
  await begun;
  // Its changes wait for the transaction in real time.
  const erasing = erase(storeId, email, createRegistry(database, { clock: systemClock, databaseClock: clock }));
  await Promise.race([erasing, steadyClock.sleep(1_000)]);
  release();
  await Promise.all([working, erasing]);
  expect(await finish(storeId)).not.toContain(email);
});
