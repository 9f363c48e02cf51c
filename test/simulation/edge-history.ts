import { systemClock } from "#shared/time/clock.ts";
import { MongoApiKeys } from "../../services/registry/mongo/admissions/mongo-api-keys.ts";
import { operationTimeLimitMs } from "../../services/registry/mongo/driver/time-limits.ts";
import { MongoStorefronts } from "../../services/registry/mongo/storefront/mongo-storefronts.ts";
import { setRules } from "../../services/registry/storefront/set-rules.ts";
import { createApiKey } from "../../services/registry/stores/issue-api-key.ts";
import type { SeededRandom } from "../harness/seeded-random.ts";
import { followList, judgeFollower, newFollower } from "./edge-followers.ts";
import { judgeOrders, placeOrders } from "./edge-platform.ts";
import { changeAccess, floodLists, judgePlaces, judgeRequests, type LoudRequests } from "./edge-requests.ts";
import { type EdgeWorld, type ListedStore, type Replica, untilDone } from "./edge-world.ts";
import { causeFaults, type Fault, failOver, failOverBehind, pauseFor, setClockBack, setClockForward } from "./fault.ts";
import { HistoryScript } from "./history-script.ts";
import { choicesOf, type SimulatedWorld } from "./run-in-world.ts";
import { startEdge } from "./simulated-edge.ts";
import { startReplica, withEdges } from "./simulated-replica.ts";
import { createSimulatedStore, storeHistoryOf } from "./simulated-store.ts";

const registryAddresses = ["10.0.0.1:9090", "10.0.0.2:9090"] as const;
const edgeCount = 2;
const faultsMs = 30_000;
/** Until then, places have been returned: the longest pause between two attempts is 16 s. */
const returnedMs = 20_000;
/** After a decision, what requests took before has left the window by then, and clients have connections again. */
const settledMs = 34_000;
/** Until then, a client of each store has a connection again, and asks. */
const decidedMaxMs = 20_000;
const calmMs = withEdges.policy.windowMs + 10_000;
const restMaxMs = 90_000;
const roughRate = 0.6;
/** The share of the rough histories in which the database's clock is also set forward. */
const forwardRate = 0.2;
/** An edge has a map of the keys that were guessed. */
const guessedKeysMax = 150;

/**
 * Runs one random history of two edges and two registries: clients of one store flood the list while its key is rolled
 * and its plan changes, others guess keys, clients of another store follow its list, and a platform reports orders.
 * Edges and registries are killed and paused, with clocks apart; streams and calls are lost or late; the database fails
 * over, and its clock is set back or, in some, forward. Then the faults end, while the flood goes on.
 *
 * @returns what is wrong
 */
export async function runEdgeHistory(
  simulated: SimulatedWorld,
  script: HistoryScript = new HistoryScript(),
): Promise<string[]> {
  const { world, collections } = simulated;
  const kind = choicesOf(simulated, "kind");
  const isRough = script.has(killRegistry.words, kind.chance(roughRate));
  const setsForward = script.has(setClockForward.words, isRough && kind.chance(forwardRate));
  const history: EdgeWorld = {
    ...simulated,
    script,
    loud: await createListedStore(simulated, "loud.example.test"),
    quiet: await createListedStore(simulated, "quiet.example.test"),
    registries: [],
    edges: [],
    problems: [],
    isRough,
    calmFromMs: undefined,
    isFlooded: true,
    isEnding: false,
  };
  const { problems, quiet, loud, bounds } = history;
  bounds.entriesMax = guessedKeysMax;
  for (const address of registryAddresses) startRegistry(history, address);
  for (let count = 0; count < edgeCount; count++) addEdge(history);
  const asked: LoudRequests = [];
  const flood = floodLists(history, asked);
  const followers = [newFollower("follower0"), newFollower("follower1")];
  const following = Promise.all(followers.map((follower) => followList(history, follower)));
  const orders = Promise.all([placeOrders(history, loud), placeOrders(history, quiet)]);
  const access = changeAccess(history, world.now() + faultsMs);
  await disturb(history, setsForward ? [setClockForward, setClockForward] : []);
  const decided = decideByClock(history);
  await world.delay(returnedMs);
  // A registry or an edge that is killed does not return the places of its requests.
  if (!history.isRough) problems.push(...(await judgePlaces(history, asked)));
  await world.delay((await decided) + settledMs - world.now());
  history.calmFromMs = world.now();
  await access;
  await world.delay(calmMs);
  const untilMs = world.now();
  const placed = await Promise.race([orders, world.delay(restMaxMs)]);
  if (placed === undefined) problems.push(`a message is not acknowledged ${restMaxMs} ms after the last fault`);
  const storefronts = storefrontsOf(simulated);
  const waiting = async () => {
    const counts = await Promise.all(
      [loud, quiet].map(async ({ id }) => (await storefronts.readWork(id)).waitingCount),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };
  while ((await waiting()) > 0 && world.now() - untilMs < restMaxMs) await world.delay(1_000);
  if ((await waiting()) > 0) problems.push(`messages have had no effect ${restMaxMs} ms after the last fault`);
  history.isFlooded = false;
  script.note(world.now(), "the clients of the loud store end");
  const stored = await collections.certificates.find({ store: quiet.id }).toArray();
  const hasRead = () => followers.every((follower) => judgeFollower(follower, stored).length === 0);
  const readFromMs = world.now();
  while (!hasRead() && world.now() - readFromMs < restMaxMs) await world.delay(1_000);
  history.isEnding = true;
  await Promise.all([flood, following]);
  problems.push(...judgeRequests(history, asked, history.calmFromMs, untilMs));
  for (const [index, store] of [loud, quiet].entries()) {
    const own = store === quiet ? stored : await collections.certificates.find({ store: store.id }).toArray();
    problems.push(...judgeOrders(placed?.[index] ?? [], own));
  }
  problems.push(...followers.flatMap((follower) => judgeFollower(follower, stored)));
  return problems;
}

/**
 * Waits until each store has decided on a request since the database's clock was set back: that decision moves earlier
 * admissions to its own time, so they leave the window one window later.
 *
 * @returns the time of the world
 */
async function decideByClock(history: EdgeWorld): Promise<number> {
  const { world, wrong, collections, loud, quiet, problems } = history;
  const untilMs = world.now() + decidedMaxMs;
  const isDecided = async ({ id }: ListedStore) => {
    const access = await untilDone(history, () => collections.access.findOne({ _id: id }));
    const aheadMs = (access?.decision?.at.getTime() ?? 0) - wrong.databaseMs - world.now();
    return aheadMs <= operationTimeLimitMs;
  };
  while (!((await isDecided(loud)) && (await isDecided(quiet)))) {
    await world.delay(500);
    if (world.now() < untilMs) continue;
    problems.push(`no request of a store is decided within ${decidedMaxMs} ms of the last fault`);
    break;
  }
  return world.now();
}

function storefrontsOf(simulated: SimulatedWorld): MongoStorefronts {
  return new MongoStorefronts(simulated.collections, storeHistoryOf(simulated), systemClock);
}

/** Creates a store with an API key, all of whose orders get certificates. */
async function createListedStore(simulated: SimulatedWorld, shop: string): Promise<ListedStore> {
  const id = await createSimulatedStore(simulated, shop);
  const keys = new MongoApiKeys(simulated.collections.access, storeHistoryOf(simulated));
  const { apiKey, keyId } = await createApiKey(keys, { storeId: id, label: "key", actor: "simulation" });
  const rule = { name: "all", selector: { by: "all" }, excludes: false, editionTotal: null } as const;
  const rules = [{ ...rule, numbering: "product", validDays: null, since: new Date(0) } as const];
  const request = { rules, expectedVersion: undefined, now: new Date(), actor: "simulation" };
  await setRules({ storefronts: storefrontsOf(simulated) }, id, request);
  return { id, shop, apiKey, keyId };
}

function randomClock({ world }: SimulatedWorld): number {
  return world.random.pick([0, 0, 5_000, -5_000, 90_000, -90_000]);
}

/** Starts a registry. One that cannot start, because the database fails meanwhile, is started again. */
function startRegistry(history: EdgeWorld, address: string): void {
  const { world, registries, grpc, uri, nats } = history;
  const process = world.startReplica(`registry ${address}`, randomClock(history));
  const replica = { process, address };
  registries.push(replica);
  world
    .inProcess(process, () => startReplica(withEdges, uri, nats.url))
    .then(
      ({ mount }) => {
        world.collections.noteStarted(process);
        if (!process.isDead) grpc.listen(address, process, mount);
      },
      () => {
        remove(history, registries, replica);
        startRegistry(history, address);
      },
    );
}

function addEdge(history: EdgeWorld): void {
  const { world, edges } = history;
  const process = world.startReplica("edge", randomClock(history));
  const serve = world.inProcess(process, () => startEdge(`ipv4:${registryAddresses.join(",")}`));
  edges.push({ process, serve, pausedAtMs: 0 });
}

function remove<T extends Replica>({ world }: EdgeWorld, all: T[], one: T): void {
  if (all.includes(one)) all.splice(all.indexOf(one), 1);
  world.kill(one.process);
}

const killRegistry: Fault<EdgeWorld> = {
  words: "a registry is killed",
  cause: (history, random) => {
    const { world, registries } = history;
    if (registries.length === 0) return;
    const replica = random.pick(registries);
    remove(history, registries, replica);
    world.schedule(random.below(3_000), () => startRegistry(history, replica.address));
  },
};

const killEdge: Fault<EdgeWorld> = {
  words: "an edge is killed",
  cause: (history, random) => {
    const { world, edges } = history;
    if (edges.length < edgeCount) return;
    remove(history, edges, random.pick(edges));
    world.schedule(random.below(3_000), () => addEdge(history));
  },
};

const pauseRegistry: Fault<EdgeWorld> = {
  words: "a registry is paused",
  cause: ({ world, registries }, random) => {
    if (registries.length > 0) pauseFor(world, random.pick(registries).process, pauseMs(random));
  },
};

const pauseEdge: Fault<EdgeWorld> = {
  words: "an edge is paused",
  cause: ({ world, edges }, random) => {
    if (edges.length === 0) return;
    const edge = random.pick(edges);
    const note = () => {
      edge.pausedAtMs = world.now();
    };
    world.pause(edge.process);
    note();
    world.schedule(pauseMs(random), () => {
      world.resume(edge.process);
      note();
    });
  },
};

function pauseMs(random: SeededRandom): number {
  return random.below(random.chance(0.2) ? 90_000 : 12_000);
}

const cutStreams: Fault<EdgeWorld> = { words: "all streams break", cause: ({ grpc }) => grpc.cutStreams() };

const mildFaults: readonly Fault<EdgeWorld>[] = [pauseRegistry, pauseEdge, cutStreams, failOver, failOverBehind];
const faults: readonly Fault<EdgeWorld>[] = [killRegistry, killRegistry, killEdge, setClockBack, ...mildFaults];

async function disturb(history: EdgeWorld, rareFaults: readonly Fault<EdgeWorld>[]): Promise<void> {
  const { world, network, grpc, isRough, script } = history;
  if (script.happens("losses", world.now(), "from now on, single commands, calls and messages are lost or late")) {
    network.lossRate = 0.002;
    network.stallRate = 0.002;
    grpc.lossRate = 0.01;
    grpc.lateRate = 0.02;
  }
  const possible = [...(isRough ? faults : mildFaults), ...rareFaults];
  await causeFaults(history, possible, { durationMs: faultsMs, pauseMs: [500, 5_000] });
  network.recover();
  grpc.recover();
  for (const { process } of history.registries) world.resume(process);
  for (const edge of history.edges) {
    if (edge.process.held !== undefined) edge.pausedAtMs = world.now();
    world.resume(edge.process);
  }
  script.note(world.now(), "no further fault happens");
}
