import type { Document } from "mongodb";
import { ServiceError } from "#shared/errors/service-error.ts";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import { reactivateCertificate } from "../../services/registry/certificates/reactivate-certificate.ts";
import { revokeCertificate } from "../../services/registry/certificates/revoke-certificate.ts";
import { certificateOf } from "../../services/registry/mongo/documents/convert-documents.ts";
import type { StorefrontRule } from "../../services/registry/storefront/rules.ts";
import { setRules } from "../../services/registry/storefront/set-rules.ts";
import { createStore } from "../../services/registry/stores/create-store.ts";
import { actorRandom, type SeededRandom } from "../harness/seeded-random.ts";
import { differencesOf } from "./expected-certificates.ts";
import { createRegistry, type SimulatedDatabase, type SimulatedRegistry } from "./simulated-registry.ts";
import { productIds, SimulatedShop, skuOf } from "./simulated-shop.ts";
import { VirtualClock } from "./virtual-clock.ts";

const startMs = Date.UTC(2030, 0, 1);
const stepsMax = 60;
const roundsMax = 300;
const lastChanges = 5;
const hourMs = 3_600_000;
// By less than work can be postponed: the rule for a clock that was set back would hide a longer delay.
const wrongClocksMs = [60_000, -60_000] as const;
/** The product that has an edition in the catalogue; the others are numbered by the rules. */
const catalogued = productIds[0];

/**
 * Runs one random history of a store's connector and judges the state at rest. Two registries work for the store, with
 * no exclusion between them and with clocks a minute apart; one is frozen at a random call and continues much later, or
 * never: then another one starts in its place. The database's clock is set back now and then. At rest, single changes
 * follow, so that an order that one of them should have made due is not made due by something else.
 *
 * The seed determines each choice. Time is virtual: it passes only when the history says so or the code sleeps.
 *
 * @returns the differences from the state that the final orders, rules and tags require; empty if it is right
 */
export async function runHistory(database: SimulatedDatabase, seed: number): Promise<string[]> {
  const random = actorRandom(seed, "history");
  const clock = new VirtualClock(startMs);
  const wrong = { databaseMs: 0 };
  const databaseClock = clock.aheadBy(() => wrong.databaseMs);
  const startRegistry = (aheadMs: number) =>
    createRegistry(database, { clock: clock.aheadBy(() => aheadMs), databaseClock });
  const first = startRegistry(0);
  const registries = [first, startRegistry(wrongClocksMs[0])];
  const prefix = `${seed}x${Math.random().toString(36).slice(2, 8)}`;
  const settings = { editionStyle: "number_total", verifyBaseUrl: "", language: "en", displayName: "" } as const;
  const { id: storeId } = await createStore(first.stores, {
    ...settings,
    ownerDisplay: "nothing",
    shop: `shop-${prefix}.example.test`,
    plan: "pro",
    actor: "simulation",
  });
  const shop = new SimulatedShop(random, () => clock.now(), prefix);
  const world = { database, random, clock, wrong, shop, storeId, registries, startRegistry, editionTotal: 1 };
  await changeRules(world, first);
  await enlargeEdition(world, first);
  const stepCount = 20 + random.below(stepsMax - 20);
  const frozen: FrozenWork = new Map();
  for (let step = 0; step < stepCount; step += 1) {
    clock.advance(random.below(700));
    await takeStep(world, frozen);
  }
  // A frozen registry continues only after the other one has done all the work.
  await comeToRest(world, registries.find(({ freezer }) => !freezer.isFrozen) ?? first);
  for (const { freezer } of registries) freezer.thaw();
  await Promise.allSettled(frozen.keys());
  const differences: string[] = [];
  for (const change of [undefined, ...Array.from({ length: lastChanges }, () => random.pick(changes))]) {
    await change?.(world, random.pick(registries));
    await comeToRest(world, random.pick(registries));
    const found = await judge(world);
    differences.push(...found.map((difference) => `${difference} (after ${change?.name ?? "the history"})`));
  }
  return differences;
}

interface World {
  readonly database: SimulatedDatabase;
  readonly random: SeededRandom;
  readonly clock: VirtualClock;
  /** How far the database's clock is ahead. */
  readonly wrong: { databaseMs: number };
  readonly shop: SimulatedShop;
  readonly storeId: string;
  readonly registries: SimulatedRegistry[];
  /** Starts a registry whose clock is ahead. */
  readonly startRegistry: (aheadMs: number) => SimulatedRegistry;
  editionTotal: number;
}

/** The work that was frozen, and the registry that does it. */
type FrozenWork = Map<Promise<unknown>, SimulatedRegistry>;

async function takeStep(world: World, frozen: FrozenWork): Promise<void> {
  const { random, storeId, registries } = world;
  const running = registries.filter(({ freezer }) => !freezer.isFrozen);
  const registry = random.pick(running);
  const other = registries.findIndex(({ freezer }) => freezer.isFrozen);
  if (other !== -1 && random.chance(0.05)) return replace(world, other, frozen);
  const choice = random.below(100);
  const step = steps.find(({ below }) => choice < below);
  if (step !== undefined) return void (await step.take(world, registry));
  // At most one registry is frozen at a time.
  if (running.length === registries.length && random.chance(0.6)) registry.freezer.freezeAfter(3 + random.below(14));
  const work = registry.work(storeId);
  if (!(await registry.freezer.run(work))) frozen.set(work, registry);
}

/** The frozen registry was killed: none of its calls ever returns, and another registry starts. */
function replace({ random, startRegistry, registries }: World, index: number, frozen: FrozenWork): void {
  const [killed] = registries.splice(index, 1, startRegistry(random.pick([0, ...wrongClocksMs])));
  for (const [work, registry] of frozen) if (registry === killed) frozen.delete(work);
}

interface Step {
  /** The step is taken for the choices below this number that no earlier step takes; the remaining ones are work. */
  readonly below: number;
  readonly take: (world: World, registry: SimulatedRegistry) => Promise<void> | void;
}

const steps: readonly Step[] = [
  { below: 8, take: placeOrder },
  { below: 24, take: changeOrder },
  { below: 28, take: changeTags },
  { below: 30, take: eraseCustomer },
  { below: 33, take: changeRules },
  { below: 37, take: enlargeEdition },
  { below: 41, take: importFile },
  { below: 48, take: changeByHand },
  { below: 65, take: deliver },
  { below: 66, take: setDatabaseBack },
  {
    below: 69,
    take: ({ registries }) => {
      for (const { freezer } of registries) freezer.thaw();
    },
  },
];

/** The changes of which each must make the orders due that depend on it. */
const changes: readonly Step["take"][] = [
  placeOrder,
  changeOrder,
  changeTags,
  changeTags,
  eraseCustomer,
  changeRules,
  enlargeEdition,
  importFile,
  changeByHand,
];

function placeOrder({ shop }: World): void {
  shop.placeOrder();
}

function changeOrder({ shop }: World): void {
  shop.changeOrder();
}

function eraseCustomer({ shop }: World): void {
  shop.eraseCustomer();
}

/** Changes tags, sometimes twice within a second, which is the resolution of the platform's times. */
function changeTags({ shop, random, clock }: World): void {
  const productId = random.pick(productIds);
  shop.changeTags(productId);
  if (random.chance(0.2)) return;
  clock.advance(random.below(200));
  shop.changeTags(productId);
}

/** Sets the database's clock back, as an administrator does who corrects it. */
function setDatabaseBack({ random, wrong }: World): void {
  wrong.databaseMs -= random.below(2 * hourMs);
}

async function deliver({ shop, storeId }: World, { inbox }: SimulatedRegistry): Promise<void> {
  const message = shop.takeMail();
  if (message !== undefined) await inbox.add(storeId, message, "waiting");
}

async function changeRules(world: World, { storefronts }: SimulatedRegistry): Promise<void> {
  const { random, clock, storeId } = world;
  const base = { editionTotal: 1_000, numbering: "product", validDays: null, since: new Date(0) } as const;
  const some: readonly StorefrontRule[] = [
    { ...base, name: "tagged", selector: { by: "tag", tag: "limited" }, excludes: random.chance(0.3) },
    { ...base, name: "one", selector: { by: "product", productId: random.pick(productIds) }, excludes: false },
    { ...base, name: "all", selector: { by: "all" }, excludes: random.chance(0.1) },
  ];
  const rules = some.filter(() => random.chance(0.6));
  const request = { rules, expectedVersion: undefined, now: new Date(clock.now()), actor: "simulation" };
  await setRules({ storefronts }, storeId, request);
}

async function enlargeEdition(world: World, { stores }: SimulatedRegistry): Promise<void> {
  // By little, so that the edition is often sold out.
  world.editionTotal += world.random.pick([0, 1, 1, 2]);
  const { storeId, editionTotal } = world;
  const variants = [{ sku: skuOf(catalogued), title: "" }];
  const product = { id: catalogued, title: `Print ${catalogued}`, variants, editionTotal };
  await stores.putProducts(storeId, [product], { action: "products.put", actor: "simulation", details: {} });
}

/** Imports a file that the merchant exported at some earlier time. */
async function importFile({ random, shop, storeId }: World, { queue }: SimulatedRegistry): Promise<void> {
  const order = shop.orders.length === 0 ? undefined : random.pick(shop.orders);
  if (order === undefined || order.customer.isErased) return;
  const { id, name, payment, isCancelled, isTest, lines } = random.pick([...order.earlier, order.state]);
  if (payment !== "paid" || isCancelled || isTest) return;
  const { name: buyer, email } = order.customer;
  const items = lines.flatMap(({ title, variant, sku, quantity }, index) =>
    Array.from({ length: quantity }, (_, unit) => ({
      product: { id: "", title, variant, sku },
      buyer: { name: buyer, email },
      order: { id, name, line: String(index + 1), unit: unit + 1 },
      expiresAt: null,
    })),
  );
  await issueCertificates(queue, storeId, items, { idempotencyKey: "", actor: "simulation", isImport: true });
}

async function changeByHand({ database, random, storeId, shop }: World, { queue }: SimulatedRegistry): Promise<void> {
  const found = await database.collections.certificates.find({ store: storeId }).sort({ serial: 1 }).toArray();
  if (found.length === 0) return;
  const certificate = certificateOf(random.pick(found));
  const idempotencyKey = `key-${random.below(1_000_000)}`;
  const request = { storeId, certificateId: certificate.id, idempotencyKey, actor: "simulation" };
  const reason = random.chance(0.5) ? "" : `${random.pick(shop.customers).name} asked for it`;
  // A reason with the name of another customer is not found by an erasure, so it names the owner or nobody.
  const named = reason.startsWith(certificate.owner.name) ? reason : "";
  try {
    if (certificate.status === "revoked") await reactivateCertificate(queue, request);
    else await revokeCertificate(queue, { ...request, cause: "in_app", reason: named });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

/** Delivers all messages and lets one registry work until nothing is left to do. */
async function comeToRest(world: World, registry: SimulatedRegistry): Promise<void> {
  const { random, shop, clock, storeId } = world;
  while (shop.mail.length > 0) {
    await deliver(world, registry);
    // Otherwise, all changes would meet in one batch.
    if (random.chance(0.3)) await registry.work(storeId);
  }
  for (let round = 0, idle = 0; round < roundsMax && idle < 3; round += 1) {
    idle = (await registry.work(storeId)) ? 0 : idle + 1;
    clock.advance(10_000);
  }
}

async function judge(world: World): Promise<string[]> {
  const { database, shop, storeId, editionTotal } = world;
  const { collections } = database;
  const certificates = (await collections.certificates.find({ store: storeId }).toArray()).map(certificateOf);
  const { rules = [] } = (await collections.storefronts.findOne({ _id: storeId })) ?? {};
  const product = await collections.products.findOne({ _id: { store: storeId, product: catalogued } });
  const final = {
    rules,
    tagsOf: (productId: string) => shop.products.get(productId)?.tags,
    hasEditionLeft: (productId: string) => productId !== catalogued || (product?.editionIssued ?? 0) < editionTotal,
  };
  const due = { store: storeId, dueAt: { $exists: true } };
  const failed = { store: storeId, failure: { $exists: true } };
  const count = async (what: string, filter: object) => {
    const number =
      (await collections.storefrontOrders.countDocuments(filter)) +
      (await collections.storefrontMessages.countDocuments(filter));
    return number === 0 ? [] : [`${number} orders or messages ${what}`];
  };
  return [
    ...shop.orders.flatMap((order) => {
      const own = certificates.filter((one) => one.order?.id === order.state.id);
      return differencesOf(order, own, final);
    }),
    ...doubledEditions(certificates),
    ...(await count("are due", due)),
    ...(await count("have failed", failed)),
    ...(await findErased(world)),
  ];
}

function doubledEditions(certificates: readonly ReturnType<typeof certificateOf>[]): string[] {
  const numbers = certificates.flatMap(({ product, edition }) =>
    edition === null ? [] : [`${product.sku} ${edition.number}`],
  );
  return numbers
    .filter((number, index) => numbers.indexOf(number) < index)
    .map((number) => `edition number ${number} twice`);
}

/** Searches every collection for the names and addresses of erased customers. */
async function findErased({ database, shop, storeId }: World): Promise<string[]> {
  const erased = shop.customers.filter(({ isErased }) => isErased);
  if (erased.length === 0) return [];
  const found: string[] = [];
  const ofStore: Document = { $or: [{ store: storeId }, { _id: { $gte: storeId, $lt: `${storeId}~` } }] };
  for (const [name, collection] of Object.entries(database.collections)) {
    const documents = await collection.find(ofStore).toArray();
    for (const document of documents) {
      const text = JSON.stringify(document, (_key, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
      );
      for (const { email, name: person } of erased)
        if (text.includes(email) || text.includes(person))
          found.push(`${name} contains ${email}: ${text.slice(0, 200)}`);
    }
  }
  return found;
}
