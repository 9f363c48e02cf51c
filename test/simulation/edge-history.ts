import { systemClock } from "#shared/time/clock.ts";
import { randomBytesOf } from "../../services/edge/sealing/random-bytes.ts";
import { MongoApiKeys } from "../../services/registry/mongo/admissions/mongo-api-keys.ts";
import { MongoStorefronts } from "../../services/registry/mongo/storefront/mongo-storefronts.ts";
import { setRules } from "../../services/registry/storefront/set-rules.ts";
import { createApiKey } from "../../services/registry/stores/issue-api-key.ts";
import { followList, judgeFollower, newFollower } from "./edge-followers.ts";
import { judgeOrders, placeOrders } from "./edge-platform.ts";
import { changeAccess, floodLists, judgePlaces, judgeRequests, type LoudRequests } from "./edge-requests.ts";
import type { EdgeWorld, ListedStore, Replica } from "./edge-world.ts";
import { choicesOf, drawRandomPool, type SimulatedWorld } from "./run-in-world.ts";
import { startEdge } from "./simulated-edge.ts";
import { edgePolicy, startEdgeRegistry } from "./simulated-edge-registry.ts";
import { createSimulatedStore, storeHistoryOf } from "./simulated-store.ts";
import { SimulatedGrpc } from "./world/grpc.ts";
import { replicationUsualMs } from "./world/network.ts";
import type { World } from "./world/world.ts";

const registryAddresses = ["10.0.0.1:9090", "10.0.0.2:9090"] as const;
const edgeCount = 2;
const faultsMs = 30_000;
/** Until then, places have been returned: the longest pause between two attempts is 16 s. */
const returnedMs = 20_000;
/** Until then, what requests took during the faults has left the window, and clients have connections again. */
const settledMs = 34_000;
const calmMs = edgePolicy.windowMs + 10_000;
const restMaxMs = 90_000;
const roughRate = 0.6;
const hourMs = 3_600_000;

/**
 * Runs one random history of two edges and two registries: clients of one store flood the list while its key is rolled
 * and its plan changes, others guess keys, clients of another store follow its list, and a platform reports orders.
 * Edges and registries are killed and paused, with clocks apart; streams and calls are lost or late; the database fails
 * over, and its clock is set back. Then the faults end, while the flood goes on.
 *
 * @returns what is wrong
 */
export async function runEdgeHistory(simulated: SimulatedWorld): Promise<string[]> {
  const { world, collections } = simulated;
  drawRandomPool(world, () => randomBytesOf(1));
  const grpc = new SimulatedGrpc(world);
  using _clients = grpc.replaceClients();
  const history: EdgeWorld = {
    ...simulated,
    grpc,
    loud: await createListedStore(simulated, "loud.example.test"),
    quiet: await createListedStore(simulated, "quiet.example.test"),
    registries: [],
    edges: [],
    problems: [],
    isRough: choicesOf(simulated, "kind").chance(roughRate),
    calmFromMs: undefined,
    isFlooded: true,
    isEnding: false,
  };
  const { problems, quiet, loud } = history;
  for (const address of registryAddresses) startRegistry(history, address);
  for (let count = 0; count < edgeCount; count++) addEdge(history);
  const asked: LoudRequests = [];
  const flood = floodLists(history, asked);
  const followers = [newFollower("follower0"), newFollower("follower1")];
  const following = Promise.all(followers.map((follower) => followList(history, follower)));
  const orders = Promise.all([placeOrders(history, loud), placeOrders(history, quiet)]);
  const access = changeAccess(history, world.now() + faultsMs);
  await causeFaults(history);
  await world.delay(returnedMs);
  // A registry or an edge that is killed does not return the places of its requests.
  if (!history.isRough) problems.push(...(await judgePlaces(history, asked)));
  await world.delay(settledMs - returnedMs);
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
  const stored = await collections.certificates.find({ store: quiet.id }).toArray();
  const hasRead = () => followers.every((follower) => judgeFollower(follower, stored).length === 0);
  const readFromMs = world.now();
  while (!hasRead() && world.now() - readFromMs < restMaxMs) await world.delay(1_000);
  history.isEnding = true;
  await Promise.all([flood, following]);
  problems.push(...judgeRequests(asked, history.calmFromMs, untilMs));
  for (const [index, store] of [loud, quiet].entries()) {
    const own = store === quiet ? stored : await collections.certificates.find({ store: store.id }).toArray();
    problems.push(...judgeOrders(placed?.[index] ?? [], own));
  }
  problems.push(...followers.flatMap((follower) => judgeFollower(follower, stored)));
  return problems;
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
  const process = world.start(`registry ${address}`, randomClock(history));
  const replica = { process, address };
  registries.push(replica);
  world
    .inProcess(process, () => startEdgeRegistry(uri, nats.url))
    .then(
      ({ mount }) => {
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
  const process = world.start("edge", randomClock(history));
  const serve = world.inProcess(process, () => startEdge(`ipv4:${registryAddresses.join(",")}`));
  edges.push({ process, serve, pausedAtMs: 0 });
}

function remove<T extends Replica>({ world }: EdgeWorld, all: T[], one: T): void {
  if (all.includes(one)) all.splice(all.indexOf(one), 1);
  world.kill(one.process);
}

type Fault = (history: EdgeWorld) => void;

const killRegistry: Fault = (history) => {
  const { world, registries } = history;
  const replica = world.random.pick(registries);
  remove(history, registries, replica);
  world.schedule(world.below(3_000), () => startRegistry(history, replica.address));
};
const killEdge: Fault = (history) => {
  const { world, edges } = history;
  if (edges.length < edgeCount) return;
  remove(history, edges, world.random.pick(edges));
  world.schedule(world.below(3_000), () => addEdge(history));
};
const pauseRegistry: Fault = ({ world, registries }) => {
  const { process } = world.random.pick(registries);
  world.pause(process);
  world.schedule(pauseMs(world), () => world.resume(process));
};
const pauseEdge: Fault = ({ world, edges }) => {
  if (edges.length === 0) return;
  const edge = world.random.pick(edges);
  const note = () => {
    edge.pausedAtMs = world.now();
  };
  world.pause(edge.process);
  note();
  world.schedule(pauseMs(world), () => {
    world.resume(edge.process);
    note();
  });
};

function pauseMs(world: World): number {
  return world.below(world.random.chance(0.2) ? 90_000 : 12_000);
}

/** The primary fails over while the other members are up to a second behind. */
const failOverBehind: Fault = ({ world, server, network }) => {
  network.replicationMaxMs = 1_000;
  world.schedule(world.below(3_000), () => {
    server.failOver();
    network.replicationMaxMs = replicationUsualMs;
  });
};

const setClockBack: Fault = ({ wrong, world }) => {
  wrong.databaseMs -= world.below(world.random.chance(0.5) ? hourMs : 2_000);
};
const mildFaults: readonly Fault[] = [
  pauseRegistry,
  pauseEdge,
  ({ grpc }) => grpc.cutStreams(),
  ({ server }) => server.failOver(),
  failOverBehind,
];
const faults: readonly Fault[] = [killRegistry, killRegistry, killEdge, setClockBack, ...mildFaults];

async function causeFaults(history: EdgeWorld): Promise<void> {
  const { world, network, grpc, isRough } = history;
  network.lossRate = 0.002;
  network.stallRate = 0.002;
  grpc.lossRate = 0.01;
  grpc.lateRate = 0.02;
  const endsAtMs = world.now() + faultsMs;
  while (world.now() < endsAtMs) {
    await world.delay(500 + world.below(5_000));
    world.random.pick(isRough ? faults : mildFaults)(history);
  }
  network.recover();
  grpc.recover();
  for (const { process } of history.registries) world.resume(process);
  for (const edge of history.edges) {
    if (edge.process.held !== undefined) edge.pausedAtMs = world.now();
    world.resume(edge.process);
  }
}
