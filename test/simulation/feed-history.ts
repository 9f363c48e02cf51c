import { ServiceError } from "#shared/errors/service-error.ts";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import { transferCertificate } from "../../services/registry/certificates/transfer-certificate.ts";
import {
  causeFaults,
  type Fault,
  failOver,
  failOverBehind,
  loseConsumers,
  natsFaults,
  pauseFor,
  setClockBack,
  setClockForward,
} from "./fault.ts";
import { erasePersons } from "./feed-erasures.ts";
import { importFiles, judgeImports } from "./feed-imports.ts";
import { isAtRest, judge } from "./feed-judgement.ts";
import { isFormer, rollOut, rolloutOf, versionToStart } from "./feed-migrations.ts";
import { receiveIn } from "./feed-receiver.ts";
import { requestLists } from "./feed-requests.ts";
import { restoreBackup, restoresBackup } from "./feed-restores.ts";
import { call, callUntilKnown, deadlineMs, type FeedWorld, type Follower, type Replica } from "./feed-world.ts";
import { HistoryScript } from "./history-script.ts";
import { choicesOf, type SimulatedWorld } from "./run-in-world.ts";
import { startNotifier } from "./simulated-notifier.ts";
import { registryAddress, startReplica, withNotifiers, withNotifiersUpdated } from "./simulated-replica.ts";
import { createSimulatedStore, simulatedSku } from "./simulated-store.ts";
import type { WorldProcess } from "./world/world.ts";

const replicaCount = 2;
const writerCount = 3;
const followerCount = 2;
const notifierCount = 2;
const faultsMs = 25_000;
const restoreRate = 0.2;
/** The share of histories in which reads take long, and registries run, so that changes commit during reads. */
const slowReadsRate = 0.2;
const slowPauseMs = 300;
const twoVersions = "one registry has another version of the configuration";
/** The share of histories in which registries have two versions of the configuration, and rarer faults happen. */
const rareRate = 0.2;
const restMaxMs = 400_000;
/** As in #shared/nats/event-stream.ts: how long the stream drops a message that has the id of an earlier one. */
const duplicateWindowMs = 10 * 60_000;
const pageSize = 4;
/** How long a registry is missing that is killed while it issues a file, or for an update. */
const replacedMs = 1_000;

/**
 * Runs one random history of a store: clients that issue and transfer certificates, clients that follow the list, and
 * two notifiers that deliver the events, with two registries. Registries and notifiers are killed and paused, commands,
 * calls and replies are lost or late, the primary fails over, NATS loses connections or messages, and the database's
 * clock is set back. In some histories, registries have two versions of the configuration, NATS also loses its
 * consumers, and the clock is also set forward; in some, a rolling update migrates documents. Then the faults end.
 *
 * @returns what is wrong: changes that a follower missed, got out of order or should not have seen, acknowledged
 * changes that were lost, items issued twice, events sent twice or out of order, and events that never come to rest
 */
export async function runFeedHistory(
  simulated: SimulatedWorld,
  script: HistoryScript = new HistoryScript(),
): Promise<string[]> {
  const { world, collections } = simulated;
  const kind = choicesOf(simulated, "kind");
  // A restore brings back what was erased, and loses what was imported; an administrator repeats both.
  const restores = script.has(restoresBackup, kind.chance(restoreRate));
  const readsSlowly = script.has("reads take long", kind.chance(slowReadsRate));
  const isRare = choicesOf(simulated, "rare kind").chance(rareRate);
  const history: FeedWorld = {
    ...simulated,
    script,
    hasTwoVersions: script.has(twoVersions, isRare),
    rollout: restores ? undefined : rolloutOf(simulated, script),
    storeId: await createSimulatedStore(simulated, "shop.example.test"),
    replicas: [],
    notifiers: [],
    followers: Array.from({ length: followerCount }, () => ({
      epoch: undefined,
      cursor: new Date(0),
      copy: new Map(),
    })),
    acknowledged: new Map(),
    owners: new Set(),
    erased: new Set(),
    lostErasures: new Set(),
    issuedCount: 0,
    sent: new Map(),
    notifierNumber: 0,
    disturbed: new Set(),
    onSending: undefined,
    problems: [],
    changing: 0,
    isRestored: false,
    holdsErasures: false,
    isRestoring: false,
    isStopped: false,
    sentBefore: new Set(),
    keptByStream: new Set(),
    pendingAtRestore: new Set(),
    lostSerials: new Set(),
    isEnding: false,
  };
  const registries = {
    start: () => {
      for (let count = 0; count < replicaCount; count++) startRegistry(history);
    },
    stop: () => {
      for (const replica of Array.from(history.replicas)) removeReplica(history, replica);
    },
  };
  registries.start();
  for (let count = 0; count < notifierCount; count++) addNotifier(history);
  const writers = Array.from({ length: writerCount }, (_, index) => write(history, `writer${index}`));
  const followers = history.followers.map((follower) => follow(history, follower));
  const work = Promise.all([...writers, ...followers]);
  if (readsSlowly) history.network.pauseMaxMs = slowPauseMs;
  const replace = (replica: Replica) => replaceReplica(history, replica);
  const files = restores ? Promise.resolve([]) : importFiles(history, replace);
  const others = restores
    ? [restoreBackup(history, registries)]
    : [erasePersons(history), requestLists(history), files, rollOut(history, replace)];
  await Promise.race([
    disturb(history, possibleFaults(script, { readsSlowly, isRare })),
    Promise.all([work, ...others]),
  ]);
  await Promise.all([...writers, ...others]);
  script.note(world.now(), "the last client has finished");
  const restFromMs = world.now();
  // For so long, the stream drops messages that were sent before a restore and are to be sent again.
  const maxMs = restores ? restMaxMs + duplicateWindowMs : restMaxMs;
  while (!(await isAtRest(history)) && world.now() - restFromMs < maxMs) await world.delay(restores ? 5_000 : 1_000);
  const unsettled = await collections.outbox.countDocuments();
  if (unsettled > 0) history.problems.push(`${unsettled} events are not settled after the last fault`);
  const unpublished = await collections.automationOutbox.countDocuments();
  if (unpublished > 0) history.problems.push(`${unpublished} automation events are not published after the last fault`);
  await judge(history);
  const problems = judgeImports(await files, await collections.certificates.find({ store: history.storeId }).toArray());
  history.problems.push(...problems);
  return history.problems;
}

/** Starts a registry, once no restore is in progress. */
function addReplica(history: FeedWorld): void {
  if (history.isStopped) history.world.schedule(500, () => addReplica(history));
  else startRegistry(history);
}

/** Starts a registry. One that cannot start, because the database fails meanwhile, is started again. */
function startRegistry(history: FeedWorld): void {
  const { world, replicas, uri, nats, grpc, hasTwoVersions } = history;
  const process = world.startReplica("registry", world.random.pick([0, 0, 5_000, -5_000]));
  const isUpdated = hasTwoVersions && replicas.some(({ setup }) => setup === withNotifiers);
  const setup = isUpdated ? withNotifiersUpdated : withNotifiers;
  const version = versionToStart(history);
  const replica: Replica = { process, setup, version, registry: undefined };
  replicas.push(replica);
  world
    .inProcess(process, () => startReplica(setup, uri, nats.url, version))
    .then(
      (registry) => {
        replica.registry = registry;
        world.collections.noteStarted(process);
        if (!process.isDead) grpc.listen(registryAddress, process, registry.mount);
      },
      () => {
        removeReplica(history, replica);
        addReplica(history);
      },
    );
}

function removeReplica({ world, replicas }: FeedWorld, replica: Replica): void {
  world.kill(replica.process);
  replicas.splice(replicas.indexOf(replica), 1);
}

/** Does nothing to a registry that was killed before. */
function replaceReplica(history: FeedWorld, replica: Replica): void {
  if (!history.replicas.includes(replica)) return;
  removeReplica(history, replica);
  history.world.schedule(replacedMs, () => addReplica(history));
}

function addNotifier(history: FeedWorld): void {
  const { world, notifiers, nats } = history;
  const id = `notifier ${++history.notifierNumber}`;
  const process = world.startReplica(id, world.random.pick([0, 0, 5_000, -5_000]));
  notifiers.push(process);
  const deps = { id, natsUrl: nats.url, deliver: receiveIn(history), sendToTriggers: undefined };
  world.inProcess(process, () => startNotifier(deps));
}

/** Another one is started after a while. */
function removeNotifier(history: FeedWorld, process: WorldProcess, afterMs: number): void {
  const { world, notifiers, disturbed } = history;
  if (!notifiers.includes(process)) return;
  notifiers.splice(notifiers.indexOf(process), 1);
  disturbed.add(process.name);
  world.kill(process);
  world.schedule(afterMs, () => addNotifier(history));
}

const serverFaults: readonly Fault<FeedWorld>[] = [failOver, failOverBehind, setClockBack, ...natsFaults];

const killRegistry: Fault<FeedWorld> = {
  words: "a registry is killed",
  cause: (history, random) => {
    const { world, replicas } = history;
    const replica = replicas[random.below(replicaCount) % replicas.length];
    if (replica === undefined) return;
    removeReplica(history, replica);
    world.schedule(random.below(3_000), () => addReplica(history));
  },
};

const pauseRegistry: Fault<FeedWorld> = {
  words: "a registry is paused",
  cause: ({ world, replicas }, random) => {
    const replica = replicas[random.below(replicaCount) % replicas.length];
    if (replica !== undefined && !isFormer(replica)) pauseFor(world, replica.process, random.below(15_000));
  },
};

const killNotifier: Fault<FeedWorld> = {
  words: "a notifier is killed",
  cause: (history, random) => {
    const { notifiers } = history;
    const process = notifiers[random.below(notifierCount) % notifiers.length];
    if (process !== undefined) removeNotifier(history, process, random.below(3_000));
  },
};

const pauseNotifier: Fault<FeedWorld> = {
  words: "a notifier is paused",
  cause: ({ world, notifiers, disturbed }, random) => {
    const process = notifiers[random.below(notifierCount) % notifiers.length];
    if (process === undefined) return;
    disturbed.add(process.name);
    pauseFor(world, process, random.below(15_000));
  },
};

/** Claims of events are stored, and their messages are not sent. */
const killBeforeSending: Fault<FeedWorld> = {
  words: "the next notifier that is about to send a message is killed",
  cause: (history, random) => {
    history.onSending = (process) => {
      history.onSending = undefined;
      removeNotifier(history, process, random.below(3_000));
    };
  },
};

const faults: readonly Fault<FeedWorld>[] = [
  ...[killRegistry, killRegistry, pauseRegistry, pauseRegistry, pauseRegistry],
  ...[killNotifier, killBeforeSending, pauseNotifier],
  ...serverFaults,
];

const setForward: Fault<FeedWorld> = {
  words: setClockForward.words,
  cause: (history, random) => {
    setClockForward.cause(history, random);
    for (const { name } of history.notifiers) history.disturbed.add(name);
  },
};

/** What only a share of the histories has. */
const rareFaults: readonly Fault<FeedWorld>[] = [setForward, setForward, loseConsumers, loseConsumers];

/** What only directed histories have. */
const directedFaults: readonly Fault<FeedWorld>[] = [
  {
    words: "NATS loses notifications",
    cause: ({ world, nats }, random) => {
      nats.losesNotifications = true;
      world.schedule(random.below(3_000), () => {
        nats.losesNotifications = false;
      });
    },
  },
];

function possibleFaults(
  script: HistoryScript,
  { readsSlowly, isRare }: { readonly readsSlowly: boolean; readonly isRare: boolean },
): readonly Fault<FeedWorld>[] {
  const isDirected = script.focus !== undefined;
  return [
    ...(readsSlowly ? serverFaults : faults),
    ...(isRare || isDirected ? script.focused(rareFaults, ({ words }) => words) : []),
    ...(isDirected ? directedFaults : []),
  ];
}

async function disturb(history: FeedWorld, possible: readonly Fault<FeedWorld>[]): Promise<void> {
  const { world, network, grpc, nats, script, rollout } = history;
  if (script.happens("losses", world.now(), "from now on, single commands, calls and replies are lost or late")) {
    network.lossRate = 0.004;
    // A command that arrives long after its registry was killed writes the old form, as one of a paused registry does.
    network.stallRate = rollout === undefined ? 0.002 : 0;
    grpc.lossRate = 0.03;
    grpc.lateRate = 0.03;
    nats.worsen();
  }
  await causeFaults(history, possible, { durationMs: faultsMs, pauseMs: [200, 2_500] });
  network.recover();
  grpc.recover();
  history.onSending = undefined;
  nats.recover();
  history.isEnding = true;
  script.note(world.now(), "no further fault happens");
}

/** Issues and transfers certificates of its own, one after the other; repeats a change with an unknown result. */
async function write(history: FeedWorld, name: string): Promise<void> {
  const { world, script, storeId, acknowledged, owners } = history;
  const random = choicesOf(history, name);
  const issued: string[] = [];
  for (let count = 0; !history.isEnding; count++) {
    await world.delay(random.below(700));
    while (history.isRestoring) await world.delay(500);
    const own = issued.filter((id) => acknowledged.has(id));
    const issues = random.chance(0.4) || own.length === 0;
    const choice = random.below(2 ** 16);
    const words = `${name} ${issues ? "issues a certificate" : "transfers a certificate"} (${count})`;
    if (!script.happens(`${name} ${count}`, world.now(), words)) continue;
    history.changing += 1;
    const idempotencyKey = `${name}-${count}`;
    const owner = { name: "Ada", email: `${idempotencyKey}@example.test` };
    const change = { idempotencyKey, actor: name };
    if (issues) {
      const product = { id: "1", title: "Print", variant: "", sku: simulatedSku };
      const items = [{ product, buyer: owner, order: null, expiresAt: null }];
      history.issuedCount += 1;
      const [result] = await callUntilKnown(history, ({ queue }) =>
        issueCertificates(queue, storeId, items, { ...change, isImport: false }),
      );
      if (result === undefined || !("certificateId" in result)) throw new Error("the item was refused");
      issued.push(result.certificateId);
      acknowledged.set(result.certificateId, owner.email);
    } else {
      const certificateId = own[choice % own.length] ?? "";
      const request = { ...change, storeId, certificateId, newOwner: owner };
      await callUntilKnown(history, ({ queue }) => transferCertificate(queue, request)).catch((error: unknown) => {
        if (!(error instanceof ServiceError && error.code === "not_found")) throw error;
        history.problems.push(`${certificateId} was acknowledged, but does not exist`);
      });
      acknowledged.set(certificateId, owner.email);
    }
    history.changing -= 1;
    owners.add(owner.email);
    script.note(world.now(), `${name} has been answered (${count})`);
  }
}

async function follow(history: FeedWorld, follower: Follower): Promise<never> {
  for (;;) {
    // In the end, only the last changes are left to read.
    await history.world.delay(history.isEnding ? 3_000 : 50 + history.world.below(800));
    await readPage(history, follower);
  }
}

/** Reads the page after the last certificate that was read. */
async function readPage(history: FeedWorld, follower: Follower): Promise<void> {
  const { cursor, copy } = follower;
  const filter = { changedAfter: cursor };
  const query = { countMax: pageSize, now: new Date(), remainingMs: () => deadlineMs };
  const read = await call(history, async ({ feed, feedEpoch }) => ({
    epoch: await feedEpoch(history.storeId),
    rows: await feed.readRows(history.storeId, { ...query, filter }),
  }));
  if (read === undefined) return;
  if (read.epoch !== follower.epoch) {
    // The client reads the list again from the beginning.
    follower.epoch = read.epoch;
    follower.cursor = new Date(0);
    copy.clear();
    return;
  }
  for (const { linkToken, updatedAt } of read.rows) {
    if (updatedAt <= follower.cursor) history.problems.push(`${linkToken} is out of order in the list`);
    follower.cursor = updatedAt;
    copy.set(linkToken, updatedAt.getTime());
  }
}
