import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { allStores, operatorRights } from "#shared/operators/operator-entry.ts";
import { generateOperatorToken, operatorTokenHash } from "#shared/operators/operator-token.ts";
import { systemClock } from "#shared/time/clock.ts";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { orderItems } from "../../harness/issue-items.ts";
import { decimal, seed, stackOptions } from "../../harness/program/command-line.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { openBrowserSession } from "../../harness/settings-browser.ts";
import { partOf, type Stack } from "../../harness/stack/start-stack.ts";
import { quantile } from "../../harness/statistics.ts";
import { openTestPlatformApp } from "../../harness/storefront/test-platform-app.ts";
import { createTemporaryFolder } from "../../harness/temporary-folder.ts";
import { abortReason, defineCheck, type StartContext } from "../runner/check.ts";
import { Counter } from "../runner/counter.ts";
import { createStoreWithKey } from "../runner/workload-store.ts";
import { GoodStores } from "./good-stores.ts";
import { type FuzzedRoute, type FuzzTarget, fuzzedRoutes } from "./routes.ts";
import { findingsOf, ratioOf } from "./verdict.ts";
import { watchServices } from "./watch-services.ts";

type Rig = Stack & Awaited<ReturnType<typeof openAccess>>;

const preload = import.meta.resolve("./record-turns.ts");
const goodStores = 49;
const windowPairs = 10;
const inProgressMax = 8;
const requestsPerStore = 100;
// Longer than the edge's own time limits, so that a request that hangs in the edge is a finding.
const replyWithinMs = 60_000;

/** `npm run check:fuzz`: mutated bodies to every route that takes a body, beside the requests of 49 other stores. */
export const fuzzCheck = defineCheck({
  name: "fuzz",
  options: {
    minutes: decimal(0.2, 1_440, "duration").default(5),
    rate: decimal(0.1, 1_000, "mutated requests per second").default(20),
    seed,
    ...stackOptions,
  },
  notes: {
    after: `Sends mutated bodies to every route that takes a body, in every second of 20 windows, and requests of 49 other stores in
all of them. Each request of these stores must succeed, the median ratio of their p99 latency in neighboring windows must
be below 1.5, and in no service may a request end with 500, the memory reach 512 MiB, or a turn of the event loop use
more than 200 ms of CPU time.`,
  },
  start: async ({ startStack, onClose }) => {
    const access = await openAccess(onClose);
    const recordTurns = (service: string) => ({
      NODE_OPTIONS: `--import=${preload}`,
      TURNS_FILE: access.turnsFileOf(service),
    });
    const operatorApi = { REGISTRY_OPERATORS_FILE: access.operatorsFile, REGISTRY_API_PORT: String(access.apiPort) };
    // Each request of the merchant comes from another network, so that no limit per network hides the routes.
    const platform = { EDGE_PLATFORM_SECRET_FILE: access.app.secretFile, EDGE_TRUSTED_PROXIES: "127.0.0.0/8" };
    const stack = await startStack({
      // A process that ends by itself is a finding.
      restart: false,
      logLevel: "error",
      registries: [{ env: { ...operatorApi, ...recordTurns("registry") } }],
      edges: [{ env: { ...platform, ...recordTurns("edge") } }],
    });
    return { ...stack, ...access };
  },
  examine: async (rig, { options, signal, log }) => {
    const { registries, edges, supervisor, turnsFileOf } = rig;
    const registry = partOf(registries);
    const stores = await Promise.all(Array.from({ length: goodStores }, () => createStoreWithKey(registry)));
    await Promise.all(
      stores.map(({ id: storeId }) => registry.issuing.issueCertificates({ storeId, items: orderItems(10) })),
    );
    const done = new AbortController();
    const untilDone = AbortSignal.any([done.signal, signal]);
    const fuzzing = new Fuzzing(options, async () => fuzzedRoutes(await newTarget(rig)));
    const onLongTurn = (name: string, cpuMs: number) =>
      log(`a turn of ${name} used ${Math.round(cpuMs)} ms; requests: ${fuzzing.takeNames().join(", ") || "none"}`);
    const services = [partOf(edges), registry].map(({ process }) => ({
      process,
      turnsFile: turnsFileOf(process.name),
    }));
    const watched = watchServices(services, onLongTurn, untilDone);
    const good = new GoodStores({ edgeUrl: partOf(edges).url, apiKeys: stores.map(({ apiKey }) => apiKey) });
    const windowMs = (options.minutes * 60_000) / (2 * windowPairs);
    const p99 = () => quantile(good.takeDurations(), 0.99);
    // The first requests are slower: the services compile their code.
    await systemClock.sleep(Math.min(windowMs, 5_000), signal);
    good.takeDurations();
    const windows: { quietP99Ms: number; fuzzedP99Ms: number }[] = [];
    for (let pair = 1; pair <= windowPairs && !signal.aborted; pair++) {
      good.takeDurations();
      await systemClock.sleep(windowMs, signal);
      const quietP99Ms = p99();
      await fuzzing.run(windowMs, signal);
      windows.push({ quietP99Ms, fuzzedP99Ms: p99() });
      log(`window ${pair} of ${windowPairs}: ${fuzzing.sent} mutated requests, ${fuzzing.statuses}`);
    }
    done.abort();
    await good.stop();
    const peaks = await watched;
    const failures = [...supervisor.unexpectedExits, ...fuzzing.failures, ...good.failures];
    const observations = { peaks, windows, failures };
    const findings = findingsOf(observations);
    const whole = Math.round;
    return {
      findings,
      counts: {
        seed: options.seed,
        minutes: options.minutes,
        requests: fuzzing.sent,
        statuses: String(fuzzing.statuses),
        services: Object.fromEntries(
          [...peaks].map(([name, { mebibytes, turnCpuMs, turnMs }]) => [
            name,
            { mebibytes: whole(mebibytes), turn_cpu_ms: whole(turnCpuMs), turn_ms: whole(turnMs) },
          ]),
        ),
        p99_ratio: whole(ratioOf(observations) * 100) / 100,
        findings: findings.length,
        complete: !signal.aborted,
      },
      passed: findings.length === 0,
      endedEarly: abortReason(signal),
    };
  },
});

/** Opens what the requests need: the app of a platform, and an operator of the operator API. */
async function openAccess(onClose: StartContext<unknown>["onClose"]) {
  const app = await openTestPlatformApp(onClose);
  const folder = await createTemporaryFolder("fuzz-operators");
  onClose(folder.remove);
  const apiToken = generateOperatorToken();
  const operatorsFile = join(folder.path, "operators.json");
  const operator = {
    actor: "fuzz",
    token_sha256: operatorTokenHash(apiToken),
    rights: operatorRights,
    stores: [allStores],
  };
  await writeFile(operatorsFile, JSON.stringify([operator]));
  return {
    app,
    apiToken,
    operatorsFile,
    apiPort: await freePort(),
    turnsFileOf: (service: string) => join(folder.path, `${service}.turns`),
  };
}

/** Creates a store to send mutated requests for: an earlier one may have been closed by them. */
async function newTarget({ registries, edges, collections, app, apiPort, apiToken }: Rig): Promise<FuzzTarget> {
  const registry = partOf(registries);
  const edgeUrl = partOf(edges).url;
  const shop = `${randomUUID()}.example.test`;
  const { store } = await registry.admin.createStore({ shop, plan: Plan.PRO });
  const storeId = store?.id ?? "";
  const { results } = await registry.issuing.issueCertificates({ storeId, items: orderItems(20) });
  const certificateId = results[0]?.certificateId ?? "";
  const certificate = await collections.certificates.findOne({ _id: certificateId });
  const { keyId } = await registry.admin.createApiKey({ storeId, label: "shop" });
  const merchant = await openBrowserSession({ registry, edge: { port: Number(new URL(edgeUrl).port) } }, storeId);
  const ids = {
    certificate: certificateId,
    certificate_id: certificateId,
    key: keyId,
    key_id: keyId,
    store_id: storeId,
    shop,
  };
  const person = { buyer: "Grace Hopper", email: "grace@example.test", owner: "Grace Hopper", actor: "Ada" };
  const url = "https://127.0.0.1:1/hook";
  const texts = {
    name: "Linden Press",
    title: "Poster",
    label: "other",
    links: "",
    language: "de",
    url,
    format: "v1",
    grace: "0",
  };
  const rule = { selector: "tag", value: "limited", version: "0", reason: "Sold.", idempotency_key: randomUUID() };
  const values = { ...ids, ...person, ...texts, ...rule };
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  return { edgeUrl, apiUrl, apiToken, shop, linkToken: certificate?.linkToken ?? "", merchant, app, values };
}

interface FuzzingOptions {
  readonly seed: number;
  /** Mutated requests per second. */
  readonly rate: number;
}

/** Sends mutated requests to all routes. */
class Fuzzing {
  readonly failures: string[] = [];
  readonly statuses = new Counter();
  sent = 0;
  readonly #options: FuzzingOptions;
  readonly #openRoutes: () => Promise<readonly FuzzedRoute[]>;
  #routes: Promise<readonly FuzzedRoute[]> = Promise.resolve([]);
  #names: string[] = [];

  /** @param openRoutes returns the routes of a new store */
  constructor(options: FuzzingOptions, openRoutes: () => Promise<readonly FuzzedRoute[]>) {
    this.#options = options;
    this.#openRoutes = openRoutes;
  }

  /** Returns the routes of the last requests. */
  takeNames(): readonly string[] {
    const names = this.#names;
    this.#names = [];
    return names;
  }

  /** Sends requests at the rate of the options, and waits for the responses. */
  async run(durationMs: number, signal: AbortSignal): Promise<void> {
    const { rate } = this.#options;
    const endAt = performance.now() + durationMs;
    let dueAt = performance.now();
    const send = async () => {
      while (performance.now() < endAt && !signal.aborted) {
        dueAt = Math.max(dueAt + 1_000 / rate, performance.now());
        await systemClock.sleep(Math.max(0, dueAt - performance.now()), signal);
        await this.#sendNext();
      }
    };
    await Promise.all(Array.from({ length: inProgressMax }, send));
  }

  async #sendNext(): Promise<void> {
    // A mutated request can close its store or end its session, and hide what later ones would reach.
    if (this.sent % requestsPerStore === 0) this.#routes = this.#openRoutes();
    const number = this.sent++;
    const routes = await this.#routes;
    const random = actorRandom(this.#options.seed, `request ${number}`);
    const route = random.pick(routes);
    this.#names = [...this.#names.slice(-inProgressMax), route.name];
    const what = `request ${number}, ${route.name}`;
    try {
      const response = await withinTime(route.send(random));
      await response.arrayBuffer();
      this.statuses.add(String(response.status));
      if (response.status === 500) this.failures.push(`${what}: 500`);
    } catch (error) {
      if (error instanceof NoReply) this.failures.push(`${what}: ${error.message}`);
      // The services close the connection of a request that they cannot parse.
      else this.statuses.add("closed");
    }
  }
}

class NoReply extends Error {}

function withinTime<T>(reply: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new NoReply(`no reply within ${replyWithinMs} ms`)), replyWithinMs);
  return Promise.race([reply, late.promise]).finally(() => clearTimeout(timer));
}
