import { isDeepStrictEqual } from "node:util";
import type { Document } from "mongodb";
import { eraseUntilNothingIsFound } from "#shared/erasure/erase-until-nothing-is-found.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Certificate } from "../../services/registry/certificates/certificate.ts";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import { orderLineOf } from "../../services/registry/certificates/issue-item.ts";
import { reactivateCertificate } from "../../services/registry/certificates/reactivate-certificate.ts";
import { revokeCertificate } from "../../services/registry/certificates/revoke-certificate.ts";
import { certificateOf } from "../../services/registry/mongo/documents/convert-documents.ts";
import { isTouchLeft } from "../../services/registry/mongo/due-work/due-orders.ts";
import { erasePerson } from "../../services/registry/persons/erase-person.ts";
import type { StorefrontRule } from "../../services/registry/storefront/rules.ts";
import { setRules } from "../../services/registry/storefront/set-rules.ts";
import { createStore } from "../../services/registry/stores/create-store.ts";
import { actorRandom, type SeededRandom } from "../harness/seeded-random.ts";
import { differencesOf, isNeverSelected } from "./expected-certificates.ts";
import { findPersons } from "./find-persons.ts";
import type { FreezingPoint } from "./freezer.ts";
import { heldTransaction } from "./held-transaction.ts";
import { HistoryScript, StepChoices } from "./history-script.ts";
import { createRegistry, type SimulatedDatabase, type SimulatedRegistry, startIn } from "./simulated-registry.ts";
import {
  cancelling,
  productIds,
  refunding,
  reporting,
  type ShopOrder,
  SimulatedShop,
  skuOf,
} from "./simulated-shop.ts";
import { VirtualClock } from "./virtual-clock.ts";

const startMs = Date.UTC(2030, 0, 1);
const stepsMax = 25;
const roundsMax = 300;
/** An abandoned claim ends an erasure after a minute, which is six searches. */
const searchesMax = 30;
const roundsAtRest = 6;
const roundsDirected = 15;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The share of histories in which messages are days late, and the database's clock is also set forward. */
const rareRate = 0.2;
// By less than work can be postponed: the rule for a clock that was set back would hide a longer delay.
const wrongClocksMs = [60_000, -60_000] as const;
/** The product that has an edition in the catalogue; the others are numbered by the rules. */
const catalogued = productIds[0];
const taggedLast = productIds[2];

/**
 * Runs one random history of a store's connector and judges the state whenever it comes to rest. Two registries work
 * for the store, with no exclusion between them and with clocks a minute apart. Each freezes at random calls and
 * continues later, or never: then another one starts in its place. The database's clock is set back now and then; in
 * some histories, it is also set forward, and days pass between two steps.
 *
 * After a long series of steps, single changes and short series follow, each from rest to rest, so that an order that
 * one of them should have made due is not made due by something else. A directed history consists of those that its
 * focus names.
 *
 * The seed determines each choice. Time is virtual: it passes only when the history says so or the code sleeps.
 *
 * @returns the differences from the state that the final orders, rules and tags require; empty if it is right
 */
export async function runHistory(
  database: SimulatedDatabase,
  seed: number,
  script: HistoryScript = new HistoryScript(),
): Promise<string[]> {
  const random = new StepChoices(seed);
  const clock = new VirtualClock(startMs);
  const wrong = { databaseMs: 0 };
  const databaseClock = clock.aheadBy(() => wrong.databaseMs);
  const startRegistry = (aheadMs: number) =>
    startIn(database, () => createRegistry(database, { clock: clock.aheadBy(() => aheadMs), databaseClock }));
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
  const parts = { database, script, random, clock, databaseClock, wrong, shop, storeId, registries, startRegistry };
  const isRare = script.focus === undefined && actorRandom(seed, "kind").chance(rareRate);
  const sets = { decidable: new Set<string>(), reactivated: new Set<string>(), issuedBefore: new Set<string>() };
  const world: World = { ...parts, ...sets, isRare, editionTotal: 1 };
  await changeRules(world, first);
  await enlargeEdition(world, first);
  const isDirected = script.focus !== undefined;
  const differences = isDirected ? [] : await takeSteps(world, 10 + random.below(stepsMax - 10));
  const rounds = isDirected ? roundsDirected : roundsAtRest;
  for (let round = 1; round <= rounds && differences.length === 0; round += 1) {
    const id = `round ${round}`;
    random.begin(id);
    differences.push(...(await takeRound(world, id)));
    // Nobody is left to place an order.
    if (isDirected && shop.customers.every(({ isErased }) => isErased)) break;
  }
  differences.push(...(await findErased(world)));
  if (differences.length === 0) await removeStore(world);
  return differences;
}

/** Takes steps that seldom depend on each other. */
async function takeSteps(world: World, count: number): Promise<string[]> {
  const { random, clock, isRare } = world;
  for (let step = 1; step <= count; step += 1) {
    const id = `step ${step}`;
    random.begin(id);
    clock.advance(isRare && random.chance(0.1) ? random.below(3 * dayMs) : random.below(700));
    await takeStep(world, id);
  }
  random.begin("rest");
  return endSteps(world, `${count} steps`);
}

/** Makes a change, or two that meet, from rest to rest. */
function takeRound(world: World, id: string): Promise<string[]> {
  const { random, script } = world;
  const chosenRaces = races.flatMap((one) => {
    const pairs = script.focused(one.pairs, wordsOfPair);
    return pairs.length > 0 ? [{ ...one, pairs }] : [];
  });
  const chosenChanges = script.focused(changes, inWords);
  if (chosenRaces.length + chosenChanges.length === 0) throw new Error(`nothing is called ${script.focus}`);
  const isRace = random.chance(0.6) ? chosenRaces.length > 0 : chosenChanges.length === 0;
  return isRace ? race(world, id, chosenRaces) : changeAtRest(world, id, chosenChanges);
}

/**
 * Freezes a registry while it works on a change, makes another change that concerns the same orders, and lets the other
 * registry do all of the work, some of it before it dies, or none. Sometimes the other registry has been frozen since
 * before the order arrived whose buyer is erased.
 */
async function race(world: World, id: string, possible: readonly Races[]): Promise<string[]> {
  const { random, registries, script, clock } = world;
  const changesRules = random.chance(0.5);
  const { pairs, freezes, otherFreezes } = random.pick(possible);
  const pair = random.pick(pairs);
  const [first, second] = pair;
  const words = `while a registry is frozen in its work, two changes meet: ${wordsOfPair(pair)}`;
  if (!script.happens(id, clock.now(), words)) return [];
  if (changesRules) await changeRules(world, random.pick(registries));
  const isEarly = second === eraseByAddress && random.chance(0.5);
  await first(world, random.pick(registries));
  const [one, other] = random.chance(0.5) ? registries : registries.toReversed();
  if (one === undefined || other === undefined) throw new Error("a registry is missing");
  if (isEarly) await advance(world, other, 2 + random.below(4));
  await deliverAll(world);
  await advance(world, one, typeof freezes === "string" ? freezes : freezes[0] + random.below(freezes[1] - freezes[0]));
  await second(world, random.pick(registries));
  if (random.chance(0.8)) await deliverAll(world);
  if (isEarly) await advance(world, one, 1 + random.below(3));
  const work = random.below(5);
  if (otherFreezes !== undefined) await advance(world, other, otherFreezes);
  else if (work === 0) await advance(world, other);
  else if (work > 1) await advance(world, other, 6 + random.below(16));
  if (other.freezer.isFrozen && random.chance(0.8)) kill(world, registries.indexOf(other));
  return endSteps(world, `${first.name} and ${second.name}`);
}

/** Lets the store come to rest and judges it. */
async function endSteps(world: World, name: string): Promise<string[]> {
  const { random, registries } = world;
  if (random.chance(0.6)) await thawAll(world);
  // A frozen registry continues only after another one has done all the work.
  await comeToRest(world, registries.find(({ freezer }) => !freezer.isFrozen) ?? world.startRegistry(0));
  const before = await statesOf(world);
  await thawAll(world);
  const isChanged = !isDeepStrictEqual(await statesOf(world), before);
  await comeToRest(world, random.pick(registries));
  return [
    ...(isChanged ? ["a registry that was frozen changed certificates of orders that another one had compared"] : []),
    ...(await judge(world)).map((difference) => `${difference} (after ${name})`),
  ];
}

async function changeAtRest(world: World, id: string, possible: readonly Step["take"][]): Promise<string[]> {
  const { random, registries, script, clock } = world;
  const change = random.pick(possible);
  if (!script.happens(id, clock.now(), `at rest, one change: ${inWords(change)}`)) return [];
  await change(world, random.pick(registries));
  await comeToRest(world, random.pick(registries));
  return (await judge(world)).map((difference) => `${difference} (after ${change.name})`);
}

/** Returns the name of a change in words. */
function inWords({ name }: Step["take"]): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function wordsOfPair([first, second]: Races["pairs"][number]): string {
  return `${inWords(first)}, and ${inWords(second)}`;
}

/** Returns the status of each certificate. */
async function statesOf(world: World): Promise<readonly string[]> {
  return (await certificatesOf(world)).map(({ id, status }) => `${id} ${status}`);
}

interface World {
  readonly database: SimulatedDatabase;
  readonly script: HistoryScript;
  readonly random: StepChoices;
  readonly clock: VirtualClock;
  readonly databaseClock: Clock;
  /** How far the database's clock is ahead. */
  readonly wrong: { databaseMs: number };
  /** Whether days pass between two steps now and then, and the database's clock is also set forward. */
  readonly isRare: boolean;
  readonly shop: SimulatedShop;
  readonly storeId: string;
  readonly registries: SimulatedRegistry[];
  /** Starts a registry whose clock is ahead. */
  readonly startRegistry: (aheadMs: number) => SimulatedRegistry;
  editionTotal: number;
  /**
   * The orders that were placed at rest, and since then neither rules, tags nor editions changed and no file was
   * imported: their certificates follow from the final state alone. An order placed earlier may have certificates that
   * an earlier rule required.
   */
  readonly decidable: Set<string>;
  /** The certificates that a person reactivated after a refund, cancellation or edit of the order. */
  readonly reactivated: Set<string>;
  /** The certificates that were issued before the rules changed last. */
  readonly issuedBefore: Set<string>;
}

async function takeStep(world: World, id: string): Promise<void> {
  const { random, registries, script, clock } = world;
  const happens = (words: string) => script.happens(id, clock.now(), words);
  const frozen = registries.findIndex(({ freezer }) => freezer.isFrozen);
  // It was killed: none of its calls ever returns.
  if (frozen !== -1 && random.chance(0.05)) {
    if (happens("a frozen registry is killed")) kill(world, frozen);
    return;
  }
  const registry = random.pick(registries);
  const choice = random.below(100);
  const step = steps.find(({ below }) => choice < below);
  if (step !== undefined) {
    if (happens(inWords(step.take))) await step.take(world, registry);
  } else if (happens("a registry works, or freezes meanwhile"))
    await advance(world, registry, random.chance(0.4) ? Number.POSITIVE_INFINITY : 1 + random.below(16));
}

/** Kills a frozen registry: none of its calls ever returns, and another registry starts. */
function kill({ random, registries, startRegistry }: World, index: number): void {
  registries.splice(index, 1, startRegistry(random.pick([0, ...wrongClocksMs])));
}

/**
 * Continues or begins the work of a registry, sometimes as after the death of another one: it then makes one order due
 * at a time. If it was frozen for too long, it fails and remains due.
 */
async function advance(
  { storeId, random }: World,
  { freezer, work }: SimulatedRegistry,
  point?: FreezingPoint,
): Promise<void> {
  const isSuspect = random.chance(0.3);
  try {
    await freezer.advance(() => work(storeId, isSuspect), point);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

async function thawAll(world: World): Promise<void> {
  for (const registry of world.registries) if (registry.freezer.isFrozen) await advance(world, registry);
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
  { below: 64, take: deliver },
  { below: 67, take: publish },
  { below: 69, take: notify },
  { below: 70, take: setDatabaseBack },
];

/** The changes of which each must make the orders due that depend on it. */
const changes: readonly Step["take"][] = [
  placeOrderAtRest,
  changeOrder,
  changeTags,
  changeTags,
  orderAfterTags,
  orderAfterTags,
  eraseCustomer,
  eraseBeforeReport,
  changeRules,
  enlargeEdition,
  importFile,
  importCancelled,
  importDuringComparison,
  changeByHand,
  refundIssued,
  reactivateRefunded,
  eraseNamed,
];

/** Pairs of changes that concern the same orders, and where registries freeze in their work. */
interface Races {
  readonly pairs: readonly (readonly [first: Step["take"], second: Step["take"]])[];
  /** Between which calls the first one freezes, or before which. */
  readonly freezes: readonly [fromCall: number, toCall: number] | string;
  /** Before which call another one freezes in the end. Default: any, or it has done all work, or nothing. */
  readonly otherFreezes?: string;
}

// A batch of work reads the store, merges messages, reads what it needs to compare orders, and writes what it has
// decided.
const races: readonly Races[] = [
  {
    pairs: [
      [reportAgain, cancelLatest],
      [changeOrder, changeOrder],
      [placeOrder, changeOrder],
      [placeSelected, eraseByAddress],
      [changeTags, changeTags],
    ],
    freezes: [4, 10],
  },
  {
    pairs: [
      [placeSelected, changeOrder],
      [placeSelected, eraseCustomer],
      [placeSelected, removeRules],
      [placeSelected, removeRules],
      [changeOrder, changeByHand],
      [cancelUnissued, importLatest],
      [placeOrder, setDatabaseBack],
    ],
    freezes: [11, 24],
  },
  {
    pairs: [
      [placeWithoutTag, addTag],
      [placeCatalogued, enlargeEdition],
    ],
    freezes: [18, 24],
  },
  {
    pairs: [[placeUnselected, selectAll]],
    freezes: [2, 24],
  },
  {
    pairs: [
      [placeSelected, changeOrder],
      [placeSelected, cancelLatest],
    ],
    freezes: [21, 24],
  },
  {
    // The other one makes due the orders that wait for the edition before the first one notes that its order waits.
    pairs: [[placeCatalogued, enlargeEdition]],
    freezes: "orders.settle",
    otherFreezes: "orders.takeDue",
  },
];

function placeOrder({ shop }: World): void {
  shop.placeOrder();
}

function placeOrderAtRest({ shop, decidable }: World): void {
  const id = shop.placeOrder();
  if (id !== undefined) decidable.add(id);
}

/** Changes the tags of a product twice within a second; the order that follows depends on them alone. */
async function orderAfterTags(world: World, registry: SimulatedRegistry): Promise<void> {
  const { shop, random, clock } = world;
  const productId = random.pick(productIds);
  await changeRules(world, registry, [tagged(false)]);
  shop.changeTags(productId);
  clock.advance(1 + random.below(200));
  shop.changeTags(productId, shop.products.get(productId)?.tags.includes("limited") ? [] : ["limited"]);
  await comeToRest(world, registry);
  world.decidable.clear();
  const id = shop.placeOrder([productId]);
  if (id !== undefined) world.decidable.add(id);
}

/** Places an order of which every product is selected. */
async function placeSelected(world: World, registry: SimulatedRegistry): Promise<void> {
  await changeRules(world, registry, [allProducts]);
  await comeToRest(world, registry);
  world.shop.placeOrder();
}

async function placeCatalogued(world: World, registry: SimulatedRegistry): Promise<void> {
  await changeRules(world, registry, [allProducts]);
  await comeToRest(world, registry);
  world.shop.placeOrder([catalogued]);
}

/** Places orders of which no product is selected, and makes them due by rules that do not select any either. */
async function placeUnselected(world: World, registry: SimulatedRegistry): Promise<void> {
  const none = [{ ...allProducts, excludes: true }];
  await changeRules(world, registry, none);
  for (let orders = 0; orders < 4; orders += 1) world.shop.placeOrder();
  await comeToRest(world, registry);
  await changeRules(world, registry, none);
}

/** Selects all products while a registry makes the orders due, one at a time, for the rules of before. */
async function selectAll(world: World, registry: SimulatedRegistry): Promise<void> {
  const { random, registries, shop, storeId } = world;
  const worker = registries.find(({ freezer }) => !freezer.isFrozen);
  for (let batches = random.below(shop.orders.length + 1); batches > 0; batches -= 1) await worker?.work(storeId, true);
  await changeRules(world, registry, [allProducts]);
}

/** Places an order of which no product is selected, and cancels it. */
async function cancelUnissued(world: World, registry: SimulatedRegistry): Promise<void> {
  await changeRules(world, registry, []);
  world.shop.placeOrder();
  await comeToRest(world, registry);
  cancelLatest(world);
}

/** Imports a file with an order that the registry knows as cancelled. */
async function importCancelled(world: World, registry: SimulatedRegistry): Promise<void> {
  await cancelUnissued(world, registry);
  await comeToRest(world, registry);
  await importLatest(world, registry);
}

/** Compares a cancelled order for the first time while a file with the order is being imported. */
async function importDuringComparison(world: World, registry: SimulatedRegistry): Promise<void> {
  const { database, shop, storeId, clock, databaseClock } = world;
  await changeRules(world, registry, []);
  await comeToRest(world, registry);
  shop.placeOrder();
  cancelLatest(world);
  await deliverAll(world);
  // Otherwise, the transaction would begin again once the store's clock has room.
  clock.advance(5_000);
  const { advance, begun, release } = heldTransaction();
  const importer = startIn(database, () => createRegistry(database, { clock, databaseClock, advance }));
  const importing = importLatest(world, importer);
  // A file without the order has nothing to import.
  await Promise.race([begun, importing]);
  while (await registry.work(storeId));
  release();
  await importing;
}

function removeRules(world: World, registry: SimulatedRegistry): Promise<void> {
  return changeRules(world, registry, []);
}

/** Places an order of a product without the tag that the rules select by. */
async function placeWithoutTag(world: World, registry: SimulatedRegistry): Promise<void> {
  const { shop, clock } = world;
  await changeRules(world, registry, [tagged(false)]);
  shop.changeTags(taggedLast, ["new"]);
  await comeToRest(world, registry);
  clock.advance(1_000);
  shop.placeOrder([taggedLast]);
}

/** Adds the tag to the product of {@link placeWithoutTag}. */
function addTag({ shop, decidable }: World): void {
  decidable.clear();
  shop.changeTags(taggedLast, ["limited"]);
}

/** Places an order, and reports it once more after it has been compared. */
async function reportAgain(world: World, registry: SimulatedRegistry): Promise<void> {
  await placeSelected(world, registry);
  await comeToRest(world, registry);
  world.shop.changeOrder(reporting, world.shop.latest);
}

/** Refunds units that have certificates; the platform may not report the order itself. */
async function refundIssued(world: World, registry: SimulatedRegistry): Promise<void> {
  await placeSelected(world, registry);
  await comeToRest(world, registry);
  world.shop.changeOrder(refunding, world.shop.latest);
}

/** Reactivates a certificate that a refund has revoked, and reports the order once more. */
async function reactivateRefunded(world: World, registry: SimulatedRegistry): Promise<void> {
  await refundIssued(world, registry);
  await comeToRest(world, registry);
  const ofLatest = await certificatesOf(world, world.shop.latest);
  const revoked = ofLatest.find(({ status, wasWithdrawn }) => status === "revoked" && wasWithdrawn);
  if (revoked === undefined) return;
  await changeStatus(world, registry, revoked);
  await comeToRest(world, registry);
  world.shop.changeOrder(reporting, world.shop.latest);
}

/** Erases a customer whom the reason of a revocation names. */
async function eraseNamed(world: World, registry: SimulatedRegistry): Promise<void> {
  await placeSelected(world, registry);
  await comeToRest(world, registry);
  const [certificate] = await certificatesOf(world, world.shop.latest);
  if (certificate?.status === "active")
    await changeStatus(world, registry, certificate, `${certificate.owner.name} asked for it`);
  await eraseByAddress(world, registry);
}

function cancelLatest({ shop }: World): void {
  shop.changeOrder(cancelling, shop.latest);
}

function changeOrder({ shop }: World): void {
  shop.changeOrder();
}

function eraseCustomer({ shop }: World): void {
  shop.eraseCustomer();
}

/** Erases a customer whose latest order is reported only afterwards. */
async function eraseBeforeReport(world: World, registry: SimulatedRegistry): Promise<void> {
  const { shop } = world;
  shop.placeOrder();
  const reports = shop.mail.splice(0);
  shop.eraseCustomer(shop.latest?.customer);
  await comeToRest(world, registry);
  shop.mail.push(...reports);
}

/** Erases a customer by address, as an administrator does, once all messages about the customer have arrived. */
async function eraseByAddress(world: World, { persons }: SimulatedRegistry): Promise<void> {
  const { random, shop, clock, storeId } = world;
  await deliverAll(world);
  const customer = shop.latest?.customer ?? random.pick(shop.customers);
  customer.isErased = true;
  const { email } = customer;
  let searches = 0;
  const unfinished = await eraseUntilNothingIsFound({
    step: ({ isSearch: isDryRun, position }) => erasePerson(persons, { storeId, email, isDryRun, position }),
    beforeRepeating: async () => {
      clock.advance(10_000);
      return ++searches < searchesMax;
    },
  });
  if (unfinished !== undefined)
    throw new Error(`the erasure of ${email} still finds something after ${searchesMax} searches`);
}

/** Changes tags, sometimes twice within a second, which is the resolution of the platform's times. */
function changeTags({ shop, random, clock, decidable }: World): void {
  decidable.clear();
  const productId = random.pick(productIds);
  shop.changeTags(productId);
  if (random.chance(0.2)) return;
  clock.advance(random.below(200));
  shop.changeTags(productId);
}

/** Sets the database's clock back, as an administrator does who corrects it, or in some histories forward. */
function setDatabaseBack({ random, wrong, isRare }: World): void {
  const direction = isRare && random.chance(0.5) ? 1 : -1;
  wrong.databaseMs += direction * random.below(2 * hourMs);
}

async function deliver({ shop, storeId }: World, { inbox }: SimulatedRegistry): Promise<void> {
  const message = shop.takeMail();
  if (message !== undefined) await inbox.add(storeId, message, "waiting");
}

const anyRule = { editionTotal: 1_000, numbering: "product", validDays: null, since: new Date(0) } as const;

const allProducts: StorefrontRule = { ...anyRule, name: "all", selector: { by: "all" }, excludes: false };

function tagged(excludes: boolean): StorefrontRule {
  return { ...anyRule, name: "tagged", selector: { by: "tag", tag: "limited" }, excludes };
}

function randomRules(random: SeededRandom): readonly StorefrontRule[] {
  const some: readonly StorefrontRule[] = [
    tagged(random.chance(0.3)),
    { ...anyRule, name: "one", selector: { by: "product", productId: random.pick(productIds) }, excludes: false },
    { ...allProducts, excludes: random.chance(0.1) },
  ];
  return some.filter(() => random.chance(0.6));
}

async function changeRules(
  { database, random, clock, storeId, decidable, issuedBefore }: World,
  { storefronts }: SimulatedRegistry,
  rules = randomRules(random),
): Promise<void> {
  decidable.clear();
  const request = { rules, expectedVersion: undefined, now: new Date(clock.now()), actor: "simulation" };
  await setRules({ storefronts }, storeId, request);
  const ids = { projection: { _id: 1 } } as const;
  for await (const { _id } of database.collections.certificates.find({ store: storeId }, ids)) issuedBefore.add(_id);
}

async function enlargeEdition(world: World, { stores }: SimulatedRegistry): Promise<void> {
  // By little, so that the edition is often sold out.
  world.editionTotal += world.random.pick([0, 1, 1, 2]);
  world.decidable.clear();
  const { storeId, editionTotal } = world;
  const variants = [{ sku: skuOf(catalogued), title: "" }];
  const product = { id: catalogued, title: `Print ${catalogued}`, variants, editionTotal };
  await stores.putProducts(storeId, [product], { action: "products.put", actor: "simulation", details: {} });
}

/** Imports a file that the merchant exported at some earlier time. */
function importFile(world: World, registry: SimulatedRegistry): Promise<void> {
  return importOrder(world, registry, world.shop.pickOrder());
}

function importLatest(world: World, registry: SimulatedRegistry): Promise<void> {
  return importOrder(world, registry, world.shop.latest);
}

async function importOrder(
  { random, storeId, decidable }: World,
  { queue }: SimulatedRegistry,
  order: ShopOrder | undefined,
): Promise<void> {
  if (order === undefined || order.customer.isErased) return;
  const exported = [...order.earlier, order.state].filter(
    ({ payment, isCancelled, isTest }) => payment === "paid" && !isCancelled && !isTest,
  );
  if (exported.length === 0) return;
  const { id, name, lines } = random.pick(exported);
  decidable.delete(id);
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

function publish({ storeId }: World, registry: SimulatedRegistry): Promise<void> {
  return registry.publish(storeId);
}

function notify({ storeId, random }: World, registry: SimulatedRegistry): Promise<void> {
  return registry.notify(storeId, random.chance(0.3));
}

async function changeByHand(world: World, registry: SimulatedRegistry): Promise<void> {
  const { random, shop } = world;
  const found = await certificatesOf(world);
  if (found.length === 0) return;
  const orderId = shop.pickOrder()?.state.id;
  const ofOrder = found.filter(({ order }) => order?.id === orderId);
  const certificate = random.pick(ofOrder.length > 0 ? ofOrder : found);
  await changeStatus(world, registry, certificate);
}

/** Returns the certificates of an order, or of all, in the order of their issue. */
async function certificatesOf({ database, storeId }: World, order?: ShopOrder): Promise<readonly Certificate[]> {
  const filter = { store: storeId, ...(order && { "order.id": order.state.id }) };
  const found = await database.collections.certificates.find(filter).sort({ serial: 1 }).toArray();
  return found.map(certificateOf);
}

/** Revokes an active certificate, or reactivates a revoked one, as a merchant does. */
async function changeStatus(
  { random, storeId, reactivated }: World,
  { queue }: SimulatedRegistry,
  certificate: Certificate,
  // An erasure finds the names of owners only.
  reason = random.chance(0.5) ? "" : `${certificate.owner.name} asked for it`,
): Promise<void> {
  const idempotencyKey = `key-${random.below(1_000_000)}`;
  const request = { storeId, certificateId: certificate.id, idempotencyKey, actor: "simulation" };
  try {
    if (certificate.status === "revoked") {
      await reactivateCertificate(queue, request);
      if (certificate.wasWithdrawn) reactivated.add(certificate.id);
    } else {
      await revokeCertificate(queue, { ...request, cause: "in_app", reason });
      reactivated.delete(certificate.id);
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

async function deliverAll(world: World): Promise<void> {
  while (world.shop.mail.length > 0) await deliver(world, world.random.pick(world.registries));
}

/** Delivers all messages and lets one registry work until nothing is left to do. */
async function comeToRest(world: World, registry: SimulatedRegistry): Promise<void> {
  const { random, shop, clock, storeId } = world;
  while (shop.mail.length > 0) {
    // In several batches, because otherwise all changes would meet in one.
    const batch = Array.from({ length: 1 + random.below(6) }, () => deliver(world, registry));
    await Promise.all(batch);
    if (shop.mail.length > 0) await registry.work(storeId);
  }
  for (let round = 0; round < roundsMax; round += 1) {
    if (await registry.work(storeId)) continue;
    if ((await leftOf(world)).length === 0) return;
    clock.advance(10_000);
  }
}

/** Returns what a store that is at rest does not have: work that is due, or has failed. */
async function leftOf({ database, storeId }: World): Promise<readonly string[]> {
  const { storefrontOrders, storefrontMessages } = database.collections;
  const work = { store: storeId, $or: [{ dueAt: { $exists: true } }, { failure: { $exists: true } }] };
  const left = [
    ...(await storefrontOrders.find(work, leftFields).toArray()),
    ...(await storefrontMessages.find(work, leftFields).toArray()),
  ];
  return left.map(({ _id, failure }) => (failure === undefined ? `${_id} is due` : `${_id} has failed: ${failure}`));
}

const leftFields = { projection: { failure: 1 } } as const;

async function judge(world: World): Promise<string[]> {
  const { database, shop, storeId, editionTotal, reactivated, issuedBefore } = world;
  const { collections } = database;
  const certificates = await certificatesOf(world);
  const storefront = await collections.storefronts.findOne({ _id: storeId });
  const rules = storefront?.rules ?? [];
  const product = await collections.products.findOne({ _id: { store: storeId, product: catalogued } });
  const final = {
    rules,
    tagsOf: (productId: string) => shop.products.get(productId)?.tags,
    hasEditionLeft: (productId: string) => productId !== catalogued || (product?.editionIssued ?? 0) < editionTotal,
  };
  return [
    ...shop.orders.flatMap((order) => {
      const own = certificates.filter((one) => one.order?.id === order.state.id);
      return differencesOf(order, own, { ...final, isDecidable: world.decidable.has(order.state.id) });
    }),
    ...doubledEditions(certificates),
    ...certificates.flatMap(({ id, status }) =>
      reactivated.has(id) && status !== "active" ? [`${id} was revoked again after a person had reactivated it`] : [],
    ),
    ...certificates.flatMap(({ id, product, issueKey }) =>
      !issuedBefore.has(id) && isOfConnector(shop, orderLineOf(issueKey).line) && isNeverSelected(rules, product.id)
        ? [`${id} was issued by rules that had been replaced`]
        : [],
    ),
    ...(await leftOf(world)),
    ...(storefront !== null && isTouchLeft(storefront) ? ["a change has not made its orders due"] : []),
  ];
}

/** Returns whether the connector issued a certificate; one from a file has the position of its row as the line. */
function isOfConnector(shop: SimulatedShop, lineId: string): boolean {
  return shop.orders.some(({ state }) => state.lines.some(({ id }) => id === lineId));
}

function doubledEditions(certificates: readonly ReturnType<typeof certificateOf>[]): string[] {
  const numbers = certificates.flatMap(({ product, edition }) =>
    edition === null ? [] : [`${product.sku} ${edition.number}`],
  );
  return numbers
    .filter((number, index) => numbers.indexOf(number) < index)
    .map((number) => `edition number ${number} twice`);
}

/** Searches for the names and addresses of erased customers. */
function findErased({ database, shop, storeId }: World): Promise<string[]> {
  const texts = shop.customers.flatMap(({ isErased, name, email }) => (isErased ? [name, email] : []));
  return findPersons(database, { storeId, filter: ofStore(storeId), texts });
}

/** Deletes the documents of the store: the stand-ins for MongoDB search whole collections. */
async function removeStore({ database, storeId }: World): Promise<void> {
  for (const collection of Object.values(database.collections)) await collection.deleteMany(ofStore(storeId));
}

function ofStore(storeId: string): Document {
  return { $or: [{ store: storeId }, { _id: { $gte: storeId, $lt: `${storeId}~` } }] };
}
