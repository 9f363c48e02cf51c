import { ServiceError } from "#shared/errors/service-error.ts";
import { createDeliver, type Deliver } from "../../services/notifier/webhook/deliver.ts";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import { transferCertificate } from "../../services/registry/certificates/transfer-certificate.ts";
import type { DeliveryDocument } from "../../services/registry/mongo/documents/documents.ts";
import { causeFaults, type Fault, failOver, loseConsumers, natsFaults, pauseFor } from "./fault.ts";
import { HistoryScript } from "./history-script.ts";
import { outcomeProblems } from "./outcome-judgement.ts";
import { choicesOf, type SimulatedWorld } from "./run-in-world.ts";
import { sendOverSockets, startNotifier } from "./simulated-notifier.ts";
import { type ReceivedMessage, type ReceiverKind, SimulatedReceivers } from "./simulated-receivers.ts";
import { registryAddress, type SimulatedReplica, startReplica, withNotifiers } from "./simulated-replica.ts";
import { createSimulatedStore } from "./simulated-store.ts";
import { untilKnown } from "./until-known.ts";
import { beginRotation, rotatesSecret } from "./webhook-secrets.ts";
import {
  countWaiting,
  createTriggers,
  judgeTriggers,
  rotateSecrets,
  type SimulatedTrigger,
  sendsToTriggers,
} from "./webhook-triggers.ts";
import type { WorldProcess } from "./world/world.ts";

const registryCount = 2;
const notifierCount = 2;
const fastCount = 3;
const flakyCount = 2;
const hangingCount = 14;
const faultsMs = 40_000;
/** The share of histories with faults in which NATS also loses its consumers. */
const lostConsumersRate = 0.2;
/** The share of histories in which the signing secret of a store is rotated. */
const rotationRate = 0.2;
/** The share of histories in which two stores have triggers. */
const triggersRate = 0.2;
const deadlineMs = 8_000;
/** After the last fault, everything is settled within this time. */
const restMaxMs = 240_000;
/** After this time, a claim without an outcome counts as abandoned. */
const claimLifeMs = 60_000;
/** Longer than an attempt may wait with its message. */
const pausedBeforeSendingMs = 31_000;
/** Most deliveries of one notifier to slow stores and stores of unknown latency: three eighths of its 32 slots. */
const slowDeliveriesMax = 12;
/** While no fault happens, a message to a fast receiver arrives within this time of its change. */
const fastArrivalMaxMs = 20_000;

interface Registry {
  readonly process: WorldProcess;
  /** `undefined` while it starts. */
  running: SimulatedReplica | undefined;
}

interface Notifier {
  readonly id: string;
  readonly process: WorldProcess;
}

interface Store {
  readonly id: string;
  readonly kind: ReceiverKind;
  readonly host: string;
}

interface History extends SimulatedWorld {
  readonly script: HistoryScript;
  readonly receivers: SimulatedReceivers;
  readonly stores: readonly Store[];
  readonly triggers: readonly SimulatedTrigger[];
  readonly registries: Registry[];
  readonly notifiers: Notifier[];
  /** The notifiers that were killed or paused at any time. */
  readonly disturbed: Set<string>;
  /** Called in a notifier that has claimed an event and is about to send its message. Default: nothing happens. */
  onSending: ((process: WorldProcess) => void) | undefined;
  readonly problems: string[];
  notifierNumber: number;
  /** The outcomes that were stored at any time, by event. */
  readonly outcomes: Map<string, string>;
  /** Whether no further fault happens and no further change begins. */
  isEnding: boolean;
}

/**
 * Runs one random history of the webhooks: certificates of many stores change, two registries publish the events to a
 * NATS server, and two notifiers send them to receivers, some of which hang, refuse or break the connection. In most
 * histories, registries and notifiers are killed and paused, with clocks apart; gRPC calls and their replies are lost
 * or late; NATS loses its connections, its leader, its storage or, in some, its consumers; the database fails over. In
 * some histories, an administrator rotates the secret of a store, or two stores have triggers, of which one has a
 * receiver that ends its subscription, and whose secrets are rotated. Then the faults end.
 *
 * @returns what is wrong: events sent twice or out of order, outcomes that contradict what the receiver saw or that are
 * `interrupted` without a reason, messages that their receiver does not trust, stores that waited for others, too many
 * deliveries at the same time, and events that never come to rest
 */
export async function runWebhookHistory(
  simulated: SimulatedWorld,
  script: HistoryScript = new HistoryScript(),
): Promise<string[]> {
  const { world, collections, sockets } = simulated;
  const receivers = new SimulatedReceivers(world, sockets);
  const stores: Store[] = [];
  for (const [kind, count] of [
    ["fast", fastCount],
    ["flaky", flakyCount],
    ["hanging", hangingCount],
  ] as const)
    for (let number = 0; number < count; number++) {
      const host = receivers.start(kind);
      stores.push({ id: await createSimulatedStore(simulated, host), kind, host });
    }
  const kind = choicesOf(simulated, "kind");
  const hasFaults = !script.has("no fault happens", !kind.chance(0.8));
  const losesConsumers = script.has(loseConsumers.words, kind.chance(lostConsumersRate));
  const isRotated = script.has(rotatesSecret, kind.chance(rotationRate));
  const hasTriggers = script.has(sendsToTriggers, kind.chance(triggersRate));
  const history: History = {
    ...simulated,
    script,
    receivers,
    stores,
    triggers: hasTriggers ? await createTriggers({ ...simulated, receivers }, stores.slice(1)) : [],
    registries: [],
    notifiers: [],
    disturbed: new Set(),
    onSending: undefined,
    problems: [],
    notifierNumber: 0,
    outcomes: new Map(),
    isEnding: false,
  };
  for (let count = 0; count < registryCount; count++) addRegistry(history);
  for (let count = 0; count < notifierCount; count++) addNotifier(history);
  const [rotatedStore] = stores;
  const rotate = isRotated && rotatedStore !== undefined ? await beginRotation(history, rotatedStore) : undefined;
  const writers = Promise.all([
    ...stores.map((store, index) => write(history, store, `store ${index + 1}`)),
    rotate?.(),
    ...history.triggers.map((trigger) => rotateSecrets(history, trigger)),
  ]);
  const watching = Promise.race([watchDeliveries(history), watchOutcomes(history)]);
  await Promise.race([hasFaults ? disturb(history, losesConsumers) : world.delay(faultsMs), writers, watching]);
  history.grpc.recover();
  history.network.recover();
  history.isEnding = true;
  receivers.isCalm = hasTriggers;
  await Promise.race([writers, watching]);
  const restFromMs = world.now();
  const unsettled = async () => {
    const waiting = hasTriggers ? await countWaiting(history) : 0;
    return waiting + (await collections.outbox.countDocuments());
  };
  while ((await unsettled()) > 0 && world.now() - restFromMs < restMaxMs) await world.delay(1_000);
  const left = await unsettled();
  if (left > 0) history.problems.push(`${left} events are not settled ${restMaxMs / 1_000} s after the last fault`);
  await judge(history, hasFaults);
  return [...history.problems, ...(await judgeTriggers(history, history.triggers))];
}

function randomClock({ world }: History): number {
  return world.random.pick([0, 0, 5_000, -5_000, 90_000, -90_000]);
}

/** Starts a registry. One that cannot start, because the database fails meanwhile, is started again. */
function addRegistry(history: History): void {
  const { world, registries, grpc, uri, nats } = history;
  const process = world.startReplica("registry", randomClock(history));
  const registry: Registry = { process, running: undefined };
  registries.push(registry);
  world
    .inProcess(process, () => startReplica(withNotifiers, uri, nats.url))
    .then(
      (running) => {
        registry.running = running;
        world.collections.noteStarted(process);
        if (!process.isDead) grpc.listen(registryAddress, process, running.mount);
      },
      () => {
        remove(history, registries, registry);
        addRegistry(history);
      },
    );
}

function addNotifier(history: History): void {
  const { world, notifiers, nats, receivers, triggers } = history;
  const id = `notifier-${history.notifierNumber++}`;
  const process = world.startReplica(id, randomClock(history));
  notifiers.push({ id, process });
  const send = sendOverSockets(receivers.resolve);
  const sendToTriggers = triggers.length > 0 ? send : undefined;
  const sendMessage = createDeliver(send);
  const deliver: Deliver = (delivery, signal) => {
    history.onSending?.(process);
    return sendMessage(delivery, signal);
  };
  const deps = { id, natsUrl: nats.url, deliver, sendToTriggers };
  world.inProcess(process, () => startNotifier(deps));
}

function remove<T extends { readonly process: WorldProcess }>({ world }: History, all: T[], one: T): void {
  if (all.includes(one)) all.splice(all.indexOf(one), 1);
  world.kill(one.process);
}

const killNotifier: Fault<History> = {
  words: "a notifier is killed",
  cause: (history, random) => {
    const { world, notifiers, disturbed } = history;
    if (notifiers.length === 0) return;
    const notifier = random.pick(notifiers);
    disturbed.add(notifier.id);
    remove(history, notifiers, notifier);
    world.schedule(random.below(5_000), () => addNotifier(history));
  },
};

const pauseNotifier: Fault<History> = {
  words: "a notifier is paused",
  cause: ({ world, notifiers, disturbed }, random) => {
    if (notifiers.length === 0) return;
    const { id, process } = random.pick(notifiers);
    disturbed.add(id);
    pauseFor(world, process, random.below(random.chance(0.4) ? 120_000 : 15_000));
  },
};

const faults: readonly Fault<History>[] = [
  ...[killNotifier, killNotifier, pauseNotifier, pauseNotifier],
  {
    words: "a registry is killed",
    cause: (history, random) => {
      const { world, registries } = history;
      if (registries.length === 0) return;
      remove(history, registries, random.pick(registries));
      world.schedule(random.below(3_000), () => addRegistry(history));
    },
  },
  {
    words: "a registry is paused",
    cause: ({ world, registries }, random) => {
      if (registries.length > 0) pauseFor(world, random.pick(registries).process, random.below(10_000));
    },
  },
  failOver,
  ...natsFaults,
];

/** Only in directed histories: by chance, a notifier is seldom paused between its claim and the message. */
const pauseBeforeSending: Fault<History> = {
  words: "the next notifier that is about to send a message is paused",
  cause: (history, random) => {
    history.onSending = (process) => {
      history.onSending = undefined;
      history.disturbed.add(process.name);
      pauseFor(history.world, process, pausedBeforeSendingMs + random.below(claimLifeMs));
    };
  },
};

async function disturb(history: History, losesConsumers: boolean): Promise<void> {
  const { world, network, grpc, nats, script } = history;
  if (script.happens("losses", world.now(), "from now on, single commands, calls and replies are lost or late")) {
    network.lossRate = 0.002;
    grpc.lossRate = 0.05;
    grpc.lateRate = 0.05;
    nats.worsen();
  }
  const possible = [
    ...faults,
    ...(losesConsumers ? [loseConsumers] : []),
    ...(script.has(pauseBeforeSending.words, false) ? [pauseBeforeSending] : []),
  ];
  await causeFaults(history, possible, { durationMs: faultsMs, pauseMs: [500, 5_000] });
  nats.recover();
  history.onSending = undefined;
  script.note(world.now(), "no further fault happens");
}

/** Calls a registry as a client does, until one replies. */
function callUntilKnown<T>(history: History, run: (registry: SimulatedReplica) => Promise<T>): Promise<T> {
  return untilKnown(history.world, () => call(history, run), `a call of registries: ${run}`);
}

async function call<T>({ world, registries }: History, run: (registry: SimulatedReplica) => Promise<T>) {
  const started = registries.flatMap(({ process, running }) => (running === undefined ? [] : { process, running }));
  if (started.length === 0) return undefined;
  const { process, running } = world.random.pick(started);
  const reply = new Promise<T>((resolve, reject) => {
    world.schedule(world.below(2), () => run(running).then(resolve, reject), process);
  });
  try {
    return await Promise.race([reply, world.delay(deadlineMs).then(() => undefined)]);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "unavailable") return undefined;
    throw error;
  }
}

/**
 * Issues certificates of a store, and transfers them, one after the other. Those of stores with hanging receivers are
 * issued all at once, at the start.
 */
async function write(history: History, { id: storeId, kind }: Store, name: string): Promise<void> {
  const { world, script } = history;
  const random = choicesOf(history, name);
  const isHanging = kind === "hanging";
  const product = { id: "1", title: "Print", variant: "", sku: "" };
  const buyer = { name: "Ada", email: "ada@example.test" };
  const items = Array.from({ length: isHanging ? 6 : 2 }, () => ({ product, buyer, order: null, expiresAt: null }));
  const change = (key: string) => ({ idempotencyKey: `${storeId}-${key}`, actor: "simulation" });
  if (!script.happens(name, world.now(), `${name}, whose receiver is ${kind}, issues ${items.length} certificates`))
    return;
  const issued = await callUntilKnown(history, ({ queue }) =>
    issueCertificates(queue, storeId, items, { ...change("issue"), isImport: false }),
  );
  const own = issued.flatMap((result) => ("certificateId" in result ? result.certificateId : []));
  for (let count = 0; count < (isHanging ? 2 : 14) && !history.isEnding; count++) {
    await world.delay(random.below(faultsMs / (isHanging ? 2 : 10)));
    const newOwner = { name: "Ada", email: `${count}@example.test` };
    const request = { ...change(String(count)), storeId, certificateId: random.pick(own), newOwner };
    if (!script.happens(`${name} ${count}`, world.now(), `${name} transfers a certificate (${count})`)) continue;
    await callUntilKnown(history, ({ queue }) => transferCertificate(queue, request));
  }
}

/** Watches how many deliveries to hanging receivers are open. */
async function watchDeliveries({ world, receivers, problems }: History): Promise<never> {
  for (;;) {
    await world.delay(100);
    if (receivers.hangingCount <= notifierCount * slowDeliveriesMax) continue;
    problems.push(`${receivers.hangingCount} deliveries to hanging receivers at the same time`);
    await world.delay(faultsMs);
  }
}

/** Watches that an outcome that a majority has never changes. */
async function watchOutcomes({ world, collections, outcomes, problems }: History): Promise<never> {
  for (;;) {
    await world.delay(5_000);
    const stored = await collections.deliveries
      .find({ outcome: { $ne: null } }, { readConcern: "majority" })
      .toArray()
      .catch(() => []);
    for (const { _id, outcome } of stored) {
      const now = JSON.stringify(outcome);
      const before = outcomes.get(_id) ?? now;
      if (before !== now) problems.push(`the outcome of ${_id} changes from ${before} to ${now}`);
      outcomes.set(_id, now);
    }
  }
}

/** What is known of an event in the end. */
interface JudgedEvent {
  readonly id: string;
  readonly certificate: string;
  readonly at: Date;
  readonly delivery: Pick<DeliveryDocument, "outcome" | "claimedBy" | "claimedAt"> | undefined;
  /** The messages that the receiver got for it. */
  readonly messages: readonly ReceivedMessage[];
}

async function judge(history: History, hasFaults: boolean): Promise<void> {
  const { collections, stores, receivers, problems } = history;
  for (const { id, kind, host } of stores) {
    const received = receivers.received.get(host) ?? [];
    const changes = await collections.history.find({ store: id }).sort({ at: 1 }).toArray();
    const deliveries = await collections.deliveries.find({ store: id }).toArray();
    const events = changes.map(({ _id, certificate, at }): JudgedEvent => {
      const delivery = deliveries.find((one) => one._id === _id);
      return { id: _id, certificate, at, delivery, messages: received.filter(({ eventId }) => eventId === _id) };
    });
    const found = events.flatMap((event) => [
      ...outcomeProblems(
        { id: event.id, delivery: event.delivery, statuses: event.messages.map(({ status }) => status) },
        { disturbed: history.disturbed, canFail: kind !== "fast" },
      ),
      ...claimProblems(event),
      ...trustProblems(event),
      ...(hasFaults || kind !== "fast" ? [] : delayProblems(event)),
    ]);
    problems.push(...[...found, ...orderProblems(events)].map((problem) => `${host}: ${problem}`));
  }
}

function claimProblems({ id, delivery, messages: [message] }: JudgedEvent): string[] {
  const expiresAtMs = (delivery?.claimedAt.getTime() ?? 0) + claimLifeMs;
  return message !== undefined && message.atMs > expiresAtMs ? [`${id} is sent after its claim has expired`] : [];
}

function trustProblems({ id, messages }: JudgedEvent): string[] {
  return messages.flatMap(({ isTrusted }) => (isTrusted ? [] : [`${id} is not signed with its receiver's secret`]));
}

function delayProblems({ id, at, messages }: JudgedEvent): string[] {
  const delayMs = (messages[0]?.atMs ?? Number.POSITIVE_INFINITY) - at.getTime();
  return delayMs > fastArrivalMaxMs ? [`${id} arrives ${Math.round(delayMs / 1_000)} s after its change`] : [];
}

/** @param events in the order of their changes */
function orderProblems(events: readonly JudgedEvent[]): string[] {
  return events.flatMap(({ id, certificate, messages: [message] }, index) => {
    const overtaken = events
      .slice(index + 1)
      .some(
        (later) =>
          later.certificate === certificate &&
          (later.messages[0]?.atMs ?? Number.POSITIVE_INFINITY) < (message?.atMs ?? 0),
      );
    return overtaken ? [`${id} is sent after a later change of its certificate`] : [];
  });
}
