import { randomUUID } from "node:crypto";
import { fromBinary } from "@bufbuild/protobuf";
import { CertificateEventSchema } from "#gen/events/v1/certificate_event_pb.js";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import { transferCertificate } from "../../services/registry/certificates/transfer-certificate.ts";
import { claimDeliveries } from "../../services/registry/deliveries/claim-deliveries.ts";
import { interruptedOutcome, unsentOutcome } from "../../services/registry/deliveries/claim-state.ts";
import type { DeliveryOutcome } from "../../services/registry/deliveries/delivery.ts";
import type { OutboxEntry } from "../../services/registry/outbox/outbox.ts";
import type { SeededRandom } from "../harness/seeded-random.ts";
import { erasePersons } from "./feed-erasures.ts";
import { importFiles, judgeImports } from "./feed-imports.ts";
import { isAtRest, judge } from "./feed-judgement.ts";
import { requestLists } from "./feed-requests.ts";
import { restoreBackup } from "./feed-restores.ts";
import {
  call,
  callUntilKnown,
  choicesOf,
  deadlineMs,
  type FeedWorld,
  type Follower,
  type Replica,
} from "./feed-world.ts";
import { HistoryScript } from "./history-script.ts";
import type { SimulatedWorld } from "./run-in-world.ts";
import { type SimulatedReplica, startReplica } from "./simulated-replica.ts";
import { createSimulatedStore, simulatedSku } from "./simulated-store.ts";
import { duplicateWindowMs } from "./stream/simulated-jetstream.ts";
import { replicationUsualMs } from "./world/network.ts";

const replicaCount = 2;
const writerCount = 3;
const followerCount = 2;
const notifierCount = 2;
const faultsMs = 25_000;
const restoreRate = 0.2;
/** The share of histories in which reads take long, and registries run, so that changes commit during reads. */
const slowReadsRate = 0.2;
const slowPauseMs = 300;
const restMaxMs = 400_000;
const pageSize = 4;
const hourMs = 3_600_000;

/**
 * Runs one random history of a store: clients that issue and transfer certificates, clients that follow the list, and
 * notifiers that deliver the events, with two registries. Registries are killed and paused, commands and replies are
 * lost or late, the primary fails over, the stream loses messages, and the database's clock is set back. Then the
 * faults end.
 *
 * @returns what is wrong: changes that a follower missed, got out of order or should not have seen, acknowledged
 * changes that were lost, items issued twice, events sent twice or out of order, and events that never come to rest
 */
export async function runFeedHistory(
  simulated: SimulatedWorld,
  script: HistoryScript = new HistoryScript(),
): Promise<string[]> {
  const { world, collections } = simulated;
  const history: FeedWorld = {
    ...simulated,
    script,
    storeId: await createSimulatedStore(simulated, "shop.example.test"),
    replicas: [],
    followers: Array.from({ length: followerCount }, () => ({ epoch: "", cursor: new Date(0), copy: new Map() })),
    acknowledged: new Map(),
    owners: new Set(),
    erased: new Set(),
    issuedCount: 0,
    sent: new Map(),
    problems: [],
    changing: 0,
    epoch: "",
    isRestoring: false,
    isStopped: false,
    sentBefore: new Set(),
    keptByStream: new Set(),
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
  const writers = Array.from({ length: writerCount }, (_, index) => write(history, `writer${index}`));
  const followers = history.followers.map((follower) => follow(history, follower));
  const notifiers = Array.from({ length: notifierCount }, (_, index) => notify(history, `notifier${index}`));
  const work = Promise.all([...writers, ...followers, ...notifiers]);
  // A restore brings back what was erased, and loses what was imported; an administrator repeats both.
  const kind = choicesOf(history, "kind");
  const restores = kind.chance(restoreRate);
  const readsSlowly = kind.chance(slowReadsRate);
  if (readsSlowly) history.network.pauseMaxMs = slowPauseMs;
  const files = restores ? Promise.resolve([]) : importFiles(history);
  const others = restores
    ? [restoreBackup(history, registries)]
    : [erasePersons(history), requestLists(history), files];
  await Promise.race([causeFaults(history, readsSlowly ? serverFaults : faults), Promise.all([work, ...others])]);
  await Promise.all([...writers, ...others]);
  script.note(world.now(), "the last client has finished");
  const restFromMs = world.now();
  // For so long, the stream drops messages that were sent before a restore and are to be sent again.
  const maxMs = restores ? restMaxMs + duplicateWindowMs : restMaxMs;
  while (!(await isAtRest(history)) && world.now() - restFromMs < maxMs) await world.delay(restores ? 5_000 : 1_000);
  const unsettled = await collections.outbox.countDocuments();
  if (unsettled > 0) history.problems.push(`${unsettled} events are not settled after the last fault`);
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
  const { world, replicas, uri, stream } = history;
  const { random } = world;
  const process = world.start("registry", random.pick([0, 0, 5_000, -5_000]));
  const replica: Replica = { process, registry: undefined };
  replicas.push(replica);
  // Notifications of other replicas may be lost.
  const eachRelay = (call: (registry: SimulatedReplica) => void) => {
    for (const other of replicas) {
      if (other !== replica && !history.isEnding && random.chance(0.25)) continue;
      const notify = () => {
        if (other.registry !== undefined) call(other.registry);
      };
      world.schedule(world.below(3), notify, other.process);
    }
  };
  const deps = {
    deleteMessages: stream.deleteMessages,
    publish: async (entry: OutboxEntry) => {
      await world.delay(world.below(3), process);
      const isLost = !history.isEnding && random.chance(0.02);
      if (isLost && random.chance(0.5)) throw new Error("the stream does not respond");
      await stream.publish(entry);
      if (isLost) throw new Error("the acknowledgement was lost");
      return undefined;
    },
    onEvents: () => eachRelay(({ relay }) => relay.wake()),
    onSettled: (eventIds: readonly string[]) => eachRelay(({ relay }) => void relay.settle(eventIds)),
  };
  const start = () => world.inProcess(process, () => startReplica(uri, deps));
  start().then(
    (registry) => {
      replica.registry = registry;
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

interface Fault {
  readonly words: string;
  readonly cause: (history: FeedWorld, replica: Replica, random: SeededRandom) => void;
}

const kill: Fault = { words: "a registry is killed", cause: killReplica };
const pause: Fault = { words: "a registry is paused", cause: pauseReplica };

const serverFaults: readonly Fault[] = [
  { words: "the primary fails over", cause: ({ server }) => server.failOver() },
  { words: "the primary fails over while the other members are behind", cause: failOverBehind },
  { words: "the stream loses its messages", cause: loseStream },
  {
    words: "the database's clock is set back by up to an hour",
    cause: ({ wrong }, _replica, random) => {
      wrong.databaseMs -= random.below(random.chance(0.5) ? hourMs : 2_000);
    },
  },
];

const faults: readonly Fault[] = [kill, kill, pause, pause, pause, ...serverFaults];

function killReplica(history: FeedWorld, replica: Replica, random: SeededRandom): void {
  removeReplica(history, replica);
  history.world.schedule(random.below(3_000), () => addReplica(history));
}

function pauseReplica({ world }: FeedWorld, { process }: Replica, random: SeededRandom): void {
  world.pause(process);
  world.schedule(random.below(15_000), () => world.resume(process));
}

/** The primary fails over while the other members are up to a second behind. */
function failOverBehind({ world, server, network }: FeedWorld, _replica: Replica, random: SeededRandom): void {
  network.replicationMaxMs = 1_000;
  world.schedule(random.below(3_000), () => {
    server.failOver();
    network.replicationMaxMs = replicationUsualMs;
  });
}

/** The stream's storage is lost; the registries notice that they have been disconnected. */
function loseStream({ world, stream, replicas }: FeedWorld): void {
  stream.lose();
  for (const { process, registry } of replicas) world.schedule(0, () => registry?.relay.restart(), process);
}

async function causeFaults(history: FeedWorld, possible: readonly Fault[]): Promise<void> {
  const { world, network, replicas, script } = history;
  const random = choicesOf(history, "faults");
  if (script.happens("losses", world.now(), "from now on, single commands and replies are lost or late")) {
    network.lossRate = 0.004;
    network.stallRate = 0.002;
  }
  const endsAtMs = world.now() + faultsMs;
  for (let count = 1; world.now() < endsAtMs; count++) {
    await world.delay(200 + random.below(2_500));
    const { words, cause } = random.pick(possible);
    const position = random.below(replicaCount);
    const replica = replicas[position % replicas.length];
    if (replica !== undefined && script.happens(`fault ${count}`, world.now(), words)) cause(history, replica, random);
  }
  network.recover();
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
      await callUntilKnown(history, ({ queue }) => transferCertificate(queue, request));
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
  const read = await call(history, async ({ feed, epoch }) => ({
    epoch,
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

/** Handles messages of the stream concurrently, like a notifier. */
async function notify(history: FeedWorld, name: string): Promise<never> {
  for (;;) {
    const entry = history.stream.next();
    if (entry === undefined) await history.world.delay(100 + history.world.below(200));
    else void deliver(history, name, entry).catch((error: unknown) => history.problems.push(`${name}: ${error}`));
  }
}

async function deliver(history: FeedWorld, name: string, entry: OutboxEntry): Promise<void> {
  const { world, stream } = history;
  const { eventId, storeId, certificateId, type, at: queuedAt } = entry;
  const attemptToken = randomUUID();
  const { epoch } = fromBinary(CertificateEventSchema, entry.event);
  const request = { eventId, storeId, certificateId, type, queuedAt, requestedBy: "", attemptToken, epoch };
  const claim = async () => {
    const claimedAtMs = world.now();
    const answers = await call(history, ({ records, restores }) =>
      claimDeliveries(records, [request], { claimedBy: name, restores }),
    );
    return { claimedAtMs, answer: answers?.[0] };
  };
  let { claimedAtMs, answer } = await claim();
  // A claim whose reply is lost is repeated once, with its token.
  if (answer === undefined) ({ claimedAtMs, answer } = await claim());
  if (answer === undefined || answer.decision === "in_flight" || answer.decision === "later") return;
  // A notifier dies at this moment now and then.
  const dies = () => !history.isEnding && world.random.chance(0.03);
  if (answer.decision === "send") {
    if (dies()) return;
    await world.delay(world.below(300));
    const isInTime = world.now() - claimedAtMs < answer.sendWithinMs;
    if (isInTime) receive(history, entry);
    if (dies()) return;
    const outcome = isInTime ? delivered(eventId) : unsentOutcome(eventId, interruptedOutcome);
    await callUntilKnown(history, ({ records }) => records.settle([outcome]));
  }
  stream.acknowledge(eventId);
}

function receive({ sent, sentBefore, keptByStream, problems }: FeedWorld, entry: OutboxEntry): void {
  const { eventId, certificateId, at } = entry;
  const earlier = sent.get(certificateId) ?? [];
  if (sentBefore.has(eventId) || earlier.some((one) => one.eventId === eventId))
    problems.push(`${eventId} is sent twice`);
  const isOrdered = (one: OutboxEntry) => !keptByStream.has(one.eventId);
  const last = isOrdered(entry) ? earlier.findLast(isOrdered) : undefined;
  if (last !== undefined && last.at > at) problems.push(`${eventId} is sent after ${last.eventId}, which is later`);
  sent.set(certificateId, [...earlier, entry]);
}

function delivered(eventId: string): DeliveryOutcome {
  const reply = { durationMs: 5, phases: {}, remoteAddress: "203.0.113.9", replyExcerpt: "", reason: null };
  return { eventId, kind: "delivered", httpStatus: 200, ...reply };
}
