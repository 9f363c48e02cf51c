import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import { transferCertificate } from "../../services/registry/certificates/transfer-certificate.ts";
import { unsentOutcome } from "../../services/registry/deliveries/claim-state.ts";
import type { DeliveryOutcome } from "../../services/registry/deliveries/delivery.ts";
import type { TriggerDeliveryDocument } from "../../services/registry/mongo/documents/trigger-documents.ts";
import { isDuplicateKey } from "../../services/registry/mongo/driver/transient-error.ts";
import { createStore } from "../../services/registry/stores/create-store.ts";
import {
  storeConcurrencyMax,
  type TriggerLease,
  triggerConcurrencyMax,
} from "../../services/registry/triggers/claim-trigger-deliveries.ts";
import { newId } from "../../services/registry/values/identifiers.ts";
import type { SeededRandom } from "../harness/seeded-random.ts";
import { HistoryScript, StepChoices } from "./history-script.ts";
import { type SimulatedDatabase, startIn } from "./simulated-registry.ts";
import { createTriggerRegistry, leaseLifeMs, policy, type TriggerRegistry } from "./simulated-trigger-registry.ts";
import { VirtualClock } from "./virtual-clock.ts";

const startMs = Date.UTC(2030, 0, 1);
const hourMs = 3_600_000;
const stepsMax = 70;
const roundsMax = 400;
const certificatesMax = 9;
/** In so many rounds of a second each, no lease expires. */
const hangRounds = 8;
/** While its receiver answers, a trigger with an event in each round waits less than so many rounds. */
const idleRoundsMax = 4;

/** An attempt of a notifier, from its claim to its report. */
interface Attempt {
  readonly lease: TriggerLease;
  /** When the call that claimed the event began. */
  readonly claimedAtMs: number;
  readonly notifier: number;
  outcome: DeliveryOutcome | undefined;
}

interface World {
  readonly database: SimulatedDatabase;
  readonly script: HistoryScript;
  readonly random: SeededRandom;
  readonly clock: VirtualClock;
  readonly wrong: { databaseMs: number };
  readonly storeId: string;
  readonly registries: TriggerRegistry[];
  readonly startRegistry: () => TriggerRegistry;
  /** The triggers; the receiver of the first one fails now and then, that of the second never. */
  readonly triggerIds: readonly string[];
  readonly certificateIds: string[];
  /** The addresses of all owners. */
  readonly emails: string[];
  readonly attempts: Set<Attempt>;
  /** The events that each trigger's receiver got, by trigger and certificate, in order. */
  readonly sent: Map<string, TriggerLease["event"][]>;
  readonly accepted: Set<string>;
  readonly problems: string[];
  isFailing: boolean;
}

/**
 * Runs one random history of a store's triggers and judges it. Two registries serve two notifiers. Each registry
 * freezes after random commands and continues later, or never, and notifiers are killed with their attempts. One
 * receiver fails now and then. The database's clock is set back now and then. In the end, the failing receiver
 * recovers.
 *
 * The seed determines each choice. Time is virtual. The database contains no other triggers.
 *
 * @returns what is wrong: events lost, out of order, in flight twice or too often, or a healthy trigger held up
 */
export async function runTriggerHistory(
  database: SimulatedDatabase,
  seed: number,
  script: HistoryScript = new HistoryScript(),
): Promise<string[]> {
  const { triggers, triggerDeliveries } = database.collections;
  await triggers.deleteMany({});
  await triggerDeliveries.deleteMany({});
  const random = new StepChoices(seed);
  const clock = new VirtualClock(startMs);
  const wrong = { databaseMs: 0 };
  const databaseClock = clock.aheadBy(() => wrong.databaseMs);
  const startRegistry = () => {
    const aheadMs = random.pick([0, 60_000, -60_000]);
    const clocks = { clock: clock.aheadBy(() => aheadMs), databaseClock };
    return startIn(database, () => createTriggerRegistry(database, clocks));
  };
  const registries = [startRegistry(), startRegistry()];
  const [first] = registries;
  if (first === undefined) throw new Error("no registry");
  const { id: storeId } = await createStore(first.stores, {
    editionStyle: "number_total",
    verifyBaseUrl: "",
    language: "en",
    displayName: "",
    ownerDisplay: "nothing",
    shop: `shop-${seed}x${Math.random().toString(36).slice(2, 8)}.example.test`,
    plan: "pro",
    actor: "simulation",
  });
  const triggerIds: string[] = [];
  for (let count = 0; count < 2; count++) {
    const trigger = {
      url: "https://receiver.example.test/",
      format: "cloudevents",
      events: [],
      secret: secretText,
    } as const;
    const change = { action: "trigger.created" as const, actor: "simulation", details: {} };
    triggerIds.push((await first.triggers.create(storeId, trigger, change)).id);
  }
  const world: World = {
    database,
    script,
    random,
    clock,
    wrong,
    storeId,
    registries,
    startRegistry,
    triggerIds,
    certificateIds: [],
    emails: [],
    attempts: new Set(),
    sent: new Map(),
    accepted: new Set(),
    problems: [],
    isFailing: false,
  };
  try {
    await takeSteps(world, random);
    return [...world.problems, ...(await judge(world))];
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return [...world.problems, `the index refuses a second head: ${error}`];
  }
}

async function takeSteps(world: World, random: StepChoices): Promise<void> {
  const { clock, script } = world;
  const stepCount = 25 + random.below(stepsMax - 25);
  for (let count = 1; count <= stepCount; count++) {
    const id = `step ${count}`;
    random.begin(id);
    clock.advance(random.chance(0.1) ? random.below(1.5 * leaseLifeMs) : random.below(1_500));
    await takeStep(world, id);
  }
  random.begin("rest");
  script.note(clock.now(), "no further step is taken");
  await comeToRest(world);
}

const secretText = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

interface Step {
  /** The step is taken for the choices below this number that no earlier step takes. */
  readonly below: number;
  readonly words: string;
  readonly take: (world: World, registry: TriggerRegistry) => Promise<void> | void;
}

const steps: readonly Step[] = [
  { below: 20, words: "certificates change", take: change },
  {
    below: 24,
    words: "the receiver of the first trigger begins to fail, or recovers",
    take: (world) => {
      world.isFailing = !world.isFailing;
    },
  },
  {
    below: 26,
    words: "the database's clock is set back",
    take: ({ wrong, random }) => {
      wrong.databaseMs -= random.below(2 * hourMs);
    },
  },
  { below: 29, words: "an owner is erased", take: erase },
  { below: 32, words: "the first trigger is disabled or enabled", take: toggle },
  { below: 34, words: "a test event is sent", take: sendTest },
  { below: 36, words: "a notifier is killed", take: killNotifier },
  { below: 40, words: "results are reported late", take: reportLate },
  { below: 42, words: "the database's clock is set back while a registry admits events", take: setBackInAdmission },
  { below: 44, words: "two registries lease events of the same triggers", take: claimTwice },
  // Only in directed histories: what leads to these happens by chance, too, but rarely.
  { below: 0, words: "another registry sends what a frozen one leases", take: claimSlowly },
  { below: 0, words: "the receiver of the first trigger hangs", take: hang },
  {
    below: 70,
    words: "a registry leases events, or freezes meanwhile",
    take: (world, registry) => workAWhile(world, registry, () => claim(world, registry, world.random.below(2))),
  },
  {
    below: 100,
    words: "a registry records results, or freezes meanwhile",
    take: (world, registry) => workAWhile(world, registry, () => finishAttempts(world, registry)),
  },
];

async function takeStep(world: World, id: string): Promise<void> {
  const { random, registries, script, clock } = world;
  const registry = random.pick(registries);
  const frozen = registries.findIndex(({ freezer }) => freezer.isFrozen);
  const choice = random.below(100);
  // A directed history also needs what leads to the steps that its focus names.
  const directed = script.focus !== undefined && random.chance(0.5);
  // It was killed: none of its calls ever returns.
  if (frozen !== -1 && random.chance(0.06)) {
    if (script.happens(id, clock.now(), "a frozen registry is killed"))
      registries.splice(frozen, 1, world.startRegistry());
    return;
  }
  const step = directed
    ? random.pick(script.focused(steps, ({ words }) => words))
    : steps.find(({ below }) => choice < below);
  if (step !== undefined && script.happens(id, clock.now(), step.words)) await step.take(world, registry);
}

async function workAWhile({ random, clock }: World, { freezer }: TriggerRegistry, work: () => Promise<void>) {
  await freezer.advance(work, random.chance(0.5) ? Number.POSITIVE_INFINITY : 1 + random.below(9));
  // Long enough for its leases to expire.
  if (freezer.isFrozen && random.chance(0.2)) clock.advance(leaseLifeMs);
}

async function change(world: World, registry: TriggerRegistry): Promise<void> {
  const { random, certificateIds } = world;
  const certificateId = random.pick([...certificateIds, ""]);
  if (certificateId === "" || certificateIds.length < certificatesMax / 2) return await issue(world, registry);
  // Several changes in a row, so that events follow each other in the queue.
  for (let count = 1 + random.below(3); count > 0; count--) await transfer(world, registry, certificateId);
}

async function issue(world: World, { changes }: TriggerRegistry): Promise<void> {
  const { storeId, certificateIds } = world;
  if (certificateIds.length >= certificatesMax) return;
  const product = { id: "7001", title: "Print", variant: "", sku: "" };
  const request = { idempotencyKey: "", actor: "simulation", isImport: false };
  const items = [{ product, buyer: newOwner(world), order: null, expiresAt: null }];
  for (const result of await issueCertificates(changes, storeId, items, request))
    if ("certificateId" in result) certificateIds.push(result.certificateId);
}

async function transfer(world: World, { changes }: TriggerRegistry, certificateId: string): Promise<void> {
  const { storeId } = world;
  const request = { storeId, certificateId, idempotencyKey: "", actor: "simulation", newOwner: newOwner(world) };
  await transferCertificate(changes, request);
}

function newOwner({ random, emails }: World) {
  const email = `ada${random.below(1_000_000_000)}@example.test`;
  emails.push(email);
  return { name: "Ada", email };
}

async function erase({ random, storeId, emails }: World, registry: TriggerRegistry): Promise<void> {
  if (emails.length > 0) await registry.erase(storeId, random.pick(emails));
}

/** Disables or enables the first trigger. */
async function toggle({ triggerIds: [id = ""], storeId, clock }: World, { triggers }: TriggerRegistry): Promise<void> {
  const { disabled } = await triggers.find(storeId, id);
  const how = { actor: "simulation", details: {} };
  const at = new Date(clock.now());
  if (disabled === null) {
    const cause = { at, cause: "requested" as const, reason: null };
    await triggers.disable(storeId, id, cause, { action: "trigger.disabled", ...how });
  } else await triggers.enable(storeId, id, { action: "trigger.enabled", ...how });
}

async function sendTest(world: World): Promise<void> {
  const { triggerIds, storeId, random, clock } = world;
  // Not by a registry that may be frozen, because its queue is.
  const { queue } = world.startRegistry();
  const triggerId = random.pick(triggerIds);
  const event = new Uint8Array([1]);
  const certificateId = newId("smp");
  const ids = { eventId: newId("tst"), triggerId, storeId, certificateId };
  await queue.addTest({ ...ids, at: new Date(clock.now()), type: EventType.ISSUED, event });
}

function killNotifier({ attempts, random }: World): void {
  const killed = random.below(2);
  for (const attempt of attempts) if (attempt.notifier === killed) attempts.delete(attempt);
}

async function claim(world: World, registry: TriggerRegistry, notifier: number): Promise<void> {
  const { clock, attempts, problems } = world;
  const claimedAtMs = clock.now();
  const leases = await registry.claim(`notifier ${notifier}`, 1 + world.random.below(20));
  for (const lease of leases) {
    const { triggerId, certificateId, eventId } = lease.event;
    const attempt = { lease, claimedAtMs, notifier, outcome: undefined };
    for (const other of attempts)
      if (
        maySend(world, attempt) &&
        maySend(world, other) &&
        other.lease.event.triggerId === triggerId &&
        other.lease.event.certificateId === certificateId
      )
        problems.push(`${eventId} is leased while ${other.lease.event.eventId} of its certificate is in flight`);
    attempts.add(attempt);
  }
  const inFlight = Array.from(attempts).filter((attempt) => maySend(world, attempt));
  for (const [triggerId, { length }] of Map.groupBy(inFlight, ({ lease }) => lease.event.triggerId))
    if (length > triggerConcurrencyMax) problems.push(`${length} events of ${triggerId} are in flight`);
  if (inFlight.length > storeConcurrencyMax) problems.push(`${inFlight.length} events of the store are in flight`);
}

/** Whether an attempt may still send its event, because it was claimed recently and has no outcome. */
function maySend({ clock }: World, { lease, claimedAtMs, outcome }: Attempt): boolean {
  return outcome === undefined && clock.now() - claimedAtMs < lease.sendWithinMs;
}

/** Sends some of the claimed events, and reports outcomes, sometimes twice. */
async function finishAttempts(world: World, registry: TriggerRegistry): Promise<void> {
  const { random, attempts } = world;
  await report(
    world,
    registry,
    Array.from(attempts).filter(() => random.chance(0.5)),
  );
}

async function report(world: World, { record }: TriggerRegistry, chosen: readonly Attempt[]): Promise<void> {
  const { random, attempts } = world;
  for (const attempt of chosen) attempt.outcome ??= send(world, attempt);
  const results = chosen.map(({ lease: { event, token }, outcome }) => ({
    id: event.id,
    token,
    outcome: outcome ?? unsentOutcome(event.eventId, interrupted),
  }));
  if (results.length === 0) return;
  // A report whose reply is lost is repeated.
  for (const attempt of chosen) if (random.chance(0.8)) attempts.delete(attempt);
  await record(results);
}

/** Reports results after the leases have expired and the events have been leased again. */
async function reportLate(world: World): Promise<void> {
  const { random, clock, registries, attempts } = world;
  const [slow, other] = registries;
  if (slow === undefined || other === undefined) throw new Error("a registry is missing");
  await thawAll(world);
  const late = Array.from(attempts);
  const work = () => report(world, slow, late);
  // The registry may freeze after it has found that the leases are the latest ones.
  if (random.chance(0.5)) await slow.freezer.advance(work, 1 + random.below(3));
  clock.advance(leaseLifeMs);
  await claim(world, other, 0);
  await slow.freezer.advance(work);
  clock.advance(1.2 * policy.baseMs);
  await claim(world, other, 1);
}

/** Leases events while another registry does, which has begun when fewer events were waiting. */
async function claimTwice(world: World): Promise<void> {
  const { certificateIds } = world;
  // The triggers have no leases.
  const { other, goOn } = await freezeWhileLeasing(world, { afterMs: leaseLifeMs, callsMax: 9 });
  for (const id of [...certificateIds]) await transfer(world, other, id);
  while (certificateIds.length < certificatesMax) await issue(world, other);
  await claim(world, other, 1);
  await goOn();
  await claim(world, other, 1);
}

/** Leases events while another registry, to which the trigger's leases have passed, sends them. */
async function claimSlowly(world: World): Promise<void> {
  const { other, goOn } = await freezeWhileLeasing(world, { afterMs: leaseLifeMs, callsMax: 12 });
  world.clock.advance(leaseLifeMs);
  await claim(world, other, 1);
  await finishAttempts(world, other);
  await goOn();
}

/** Claims events whose first trigger has a receiver that does not answer, so that its attempts do not end. */
async function hang(world: World): Promise<void> {
  const { registries, clock, attempts, certificateIds, random, problems, triggerIds } = world;
  const [registry] = registries;
  if (registry === undefined) throw new Error("a registry is missing");
  await thawAll(world);
  // Follows the clock before the leases of others expire.
  await claim(world, registry, 0);
  attempts.clear();
  clock.advance(leaseLifeMs);
  while (certificateIds.length < certificatesMax) await issue(world, registry);
  for (const id of [...certificateIds]) await transfer(world, registry, id);
  let idleRounds = 0;
  for (let round = 0; round < hangRounds; round++) {
    await transfer(world, registry, random.pick(certificateIds));
    await claim(world, registry, 0);
    const answered = Array.from(attempts).filter(({ lease }) => lease.event.triggerId !== triggerIds[0]);
    idleRounds = answered.length === 0 ? idleRounds + 1 : 0;
    while (answered.some((attempt) => attempts.has(attempt))) await report(world, registry, answered);
    clock.advance(1_000);
  }
  if (idleRounds >= idleRoundsMax) problems.push("the second trigger waits for the first, whose receiver hangs");
}

/** Sets the clock back while a registry admits events, after a time without any. */
async function setBackInAdmission(world: World): Promise<void> {
  // Earlier, the times of the triggers would show the set-back.
  const { goOn } = await freezeWhileLeasing(world, { afterMs: hourMs, callsMax: 6 });
  world.wrong.databaseMs -= world.random.below(hourMs);
  await goOn();
}

/**
 * Freezes the first registry while it leases events after a change.
 *
 * @returns the other registry, and a function that lets the first one go on
 */
async function freezeWhileLeasing(
  world: World,
  { afterMs, callsMax }: { readonly afterMs: number; readonly callsMax: number },
) {
  const [slow, other] = world.registries;
  if (slow === undefined || other === undefined) throw new Error("a registry is missing");
  await thawAll(world);
  world.clock.advance(afterMs);
  await change(world, slow);
  const work = () => claim(world, slow, 0);
  await slow.freezer.advance(work, 1 + world.random.below(callsMax));
  return { other, goOn: () => slow.freezer.advance(work) };
}

const interrupted = { kind: "interrupted", reason: null } as const;

function send(world: World, attempt: Attempt): DeliveryOutcome {
  const { event } = attempt.lease;
  const { eventId, triggerId, certificateId } = event;
  if (!maySend(world, attempt)) return unsentOutcome(eventId, interrupted);
  const lane = `${triggerId}/${certificateId}`;
  const earlier = world.sent.get(lane) ?? [];
  const last = earlier.at(-1);
  if (last !== undefined && last.at > event.at) world.problems.push(`${eventId} is sent after ${last.eventId}`);
  world.sent.set(lane, [...earlier, event]);
  const fails = world.isFailing && triggerId === world.triggerIds[0];
  if (!fails) world.accepted.add(event.id);
  const phases = {};
  const reply = { durationMs: 5, phases, remoteAddress: "203.0.113.9", replyExcerpt: "", reason: null };
  return {
    eventId,
    ...reply,
    ...(fails ? { kind: "refused", httpStatus: 503 } : { kind: "delivered", httpStatus: 200 }),
  };
}

async function thawAll({ registries }: World): Promise<void> {
  for (const { freezer } of registries) if (freezer.isFrozen) await freezer.advance(() => Promise.resolve());
}

/** Lets the healthy trigger receive everything while the other one fails, and then lets that one recover. */
async function comeToRest(world: World): Promise<void> {
  const { registries, random, clock, storeId, triggerIds, database } = world;
  const { triggerDeliveries } = database.collections;
  world.isFailing = true;
  const registry = registries.find(({ freezer }) => !freezer.isFrozen) ?? world.startRegistry();
  const { disabled } = await registry.triggers.find(storeId, triggerIds[0] ?? "");
  if (disabled !== null) await toggle(world, registry);
  const isWaiting = async (trigger?: string) =>
    (await triggerDeliveries.findOne({ state: "waiting", ...(trigger !== undefined && { trigger }) })) !== null;
  const work = async () => {
    await claim(world, registry, 0);
    while (world.attempts.size > 0) await finishAttempts(world, registry);
  };
  // Leases of killed notifiers expire first; then each event takes a few rounds at most.
  for (let round = 0; round < 60 && (await isWaiting(triggerIds[1])); round++) {
    await work();
    clock.advance(3_000);
  }
  if (await isWaiting(triggerIds[1])) world.problems.push("the healthy trigger waits for the failing one");
  await thawAll(world);
  world.isFailing = false;
  for (let round = 0; round < roundsMax && (await isWaiting()); round++) {
    await work();
    clock.advance(random.pick([1_000, 30_000, 600_000]));
  }
  // A trigger whose last head was erased is examined once more, when that head would have been due.
  clock.advance(3 * hourMs);
  await work();
}

async function judge({ database, storeId, triggerIds, accepted }: World): Promise<string[]> {
  const { history, triggerDeliveries, triggers } = database.collections;
  const entries = await triggerDeliveries.find({ store: storeId }).toArray();
  const problems = entries.flatMap((entry) => problemOf(entry, accepted));
  // The second trigger is never disabled: it has every event.
  const count = await history.countDocuments({ store: storeId });
  const own = entries.filter(({ _id, trigger }) => trigger === triggerIds[1] && _id.includes("/evt_"));
  if (own.length !== count) problems.push(`${own.length} of ${count} events are queued`);
  for (const { leases, nextAt } of await triggers.find({ store: storeId }).toArray())
    if (leases.length > 0 || nextAt !== null)
      problems.push(`${leases.length} leases remain, and the next event is due`);
  return problems;
}

function problemOf(
  { _id, state, dueAt, fresh, lastAttempt }: TriggerDeliveryDocument,
  accepted: Set<string>,
): string[] {
  if (state === "waiting") return [`${_id} waits (due: ${dueAt}, fresh: ${fresh})`];
  if (state === "delivered" && !accepted.has(_id)) return [`${_id} is delivered, but was not accepted`];
  if (state === "skipped" && lastAttempt?.reason?.code !== "erased_before_delivery") return [`${_id} is skipped`];
  const isTest = _id.includes("/tst_");
  if (state === "given_up" && !isTest) return [`${_id} is given up`];
  return dueAt !== undefined || fresh ? [`${_id} is settled, but a head or fresh`] : [];
}
