import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { allStores, operatorRights } from "#shared/operators/operator-entry.ts";
import { generateOperatorToken, operatorTokenHash } from "#shared/operators/operator-token.ts";
import { systemClock } from "#shared/time/clock.ts";
import { freePort } from "../../../deploy/local/servers/free-port.ts";
import { decimal, flag, seed, stackOptions } from "../../../deploy/local/stack/command-line.ts";
import { openTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import { inStore } from "../../harness/in-store.ts";
import { orderItems } from "../../harness/issue-items.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { openBrowserSession } from "../../harness/settings-browser.ts";
import { partOf, type Stack } from "../../harness/stack/start-stack.ts";
import { quantile } from "../../harness/statistics.ts";
import { openTestPlatformApp } from "../../harness/storefront/test-platform-app.ts";
import { openTestPlatform } from "../../harness/test-platform.ts";
import { whenAvailable } from "../../harness/when-available.ts";
import { abortReason, defineCheck, type StartContext } from "../runner/check.ts";
import { Counter } from "../runner/counter.ts";
import { createStoreWithKey, type StoreWithKey } from "../runner/workload-store.ts";
import type { Attack, AttackRequest, AttackTarget } from "./attack.ts";
import { type AttackName, attackNames, attacks } from "./attacks.ts";
import { GoodStores } from "./good-stores.ts";
import { sendPatiently } from "./send-patiently.ts";
import { findingsOf, ratioOf } from "./verdict.ts";
import { watchServices } from "./watch-services.ts";

type Rig = Stack & Awaited<ReturnType<typeof openAccess>>;

const preload = import.meta.resolve("./record-turns.ts");
const goodStores = 49;
const windowPairs = 10;
const inProgressMax = 8;
const requestsPerStore = 100;

// A longer timeout than the default: the check is about attacks, so requests must not time out on a slow machine.
const patient = { EDGE_REGISTRY_TIMEOUT_MS: "20000" };
// Longer than the edge's own time limits, so that a request that hangs in the edge is a finding.
const replyWithinMs = 120_000;

/** `npm run check:attacks`: attacks, beside the requests of 49 other stores. */
export const attacksCheck = defineCheck({
  name: "attacks",
  options: {
    minutes: decimal(0.2, 1_440, "duration").default(5),
    attack: z
      .enum(["all", ...attackNames], { error: "is not an attack" })
      .meta({ description: `one of ${attackNames.join(", ")}`, placeholder: "<name>" })
      .default("all"),
    rate: decimal(0.1, 100, "multiple of the attacks' rates").default(1),
    noPauses: flag("attacks all the time, and does not judge the latency of the other stores"),
    seed,
    ...stackOptions,
  },
  notes: {
    after: `Attacks the services in every second of 20 windows, and sends requests of 49 other stores in all of them. The attacks:
mutated bodies to every route that takes a body, forged messages of the platform, logos with many pixels, imports that
are costly to parse, used and forged tokens, guesses, and long pages of the settings. Each attack must be refused with its statuses. Each request of these stores must succeed, the median ratio of their p99 latency in neighboring windows must
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
      registries: [{ env: { ...operatorApi, ...access.platform.variables, ...recordTurns("registry") } }],
      edges: [{ env: { ...platform, ...patient, ...recordTurns("edge") } }],
    });
    return { ...stack, ...access };
  },
  examine: async (rig, { options, signal, log }) => {
    const { registries, edges, supervisor, turnsFileOf } = rig;
    const registry = partOf(registries);
    const stores: StoreWithKey[] = [];
    // One after the other: a busy machine refuses many changes at once.
    while (stores.length < goodStores) {
      const store = await createStoreWithKey(registry);
      const items = orderItems(10);
      await whenAvailable(() => registry.issuing.issueCertificates({ items }, inStore(store.id)));
      stores.push(store);
    }
    const done = new AbortController();
    const untilDone = AbortSignal.any([done.signal, signal]);
    const chosen = options.attack === "all" ? attackNames : [options.attack];
    const attackers = chosen.map((name) => new Attacker(name, options, () => whenAvailable(() => newTarget(rig))));
    const onLongTurn = (name: string, cpuMs: number) => {
      const names = attackers.flatMap((attacker) => attacker.takeNames());
      log(`a turn of ${name} used ${Math.round(cpuMs)} ms; requests: ${names.join(", ") || "none"}`);
    };
    const services = [partOf(edges), registry].map(({ process }) => ({
      process,
      turnsFile: turnsFileOf(process.name),
    }));
    const watched = watchServices(services, onLongTurn, untilDone);
    const good = new GoodStores({ edgeUrl: partOf(edges).url, apiKeys: stores.map(({ apiKey }) => apiKey) });
    // Attackers have machines of their own. The services and the thread of the good stores' requests run first.
    setPriority(constants.priority.PRIORITY_LOW);
    const windowMs = (options.minutes * 60_000) / ((options.noPauses ? 1 : 2) * windowPairs);
    const p99 = () => quantile(good.takeDurations(), 0.99);
    // The first requests are slower: the services compile their code.
    await systemClock.sleep(Math.min(windowMs, 5_000), signal);
    good.takeDurations();
    const pairs: { quietP99Ms: number; attackedP99Ms: number }[] = [];
    for (let pair = 1; pair <= windowPairs && !signal.aborted; pair++) {
      good.takeDurations();
      if (!options.noPauses) await systemClock.sleep(windowMs, signal);
      const quietP99Ms = p99();
      await Promise.all(attackers.map((attacker) => attacker.run(windowMs, signal)));
      const attackedP99Ms = p99();
      pairs.push({ quietP99Ms, attackedP99Ms });
      const quiet = options.noPauses ? "" : `p99 ${quietP99Ms.toFixed(1)} ms, `;
      const latencies = `${quiet}attacked p99 ${attackedP99Ms.toFixed(1)} ms`;
      log(`window ${pair} of ${windowPairs}: ${latencies}; ${attackers.join("; ")}`);
    }
    done.abort();
    await good.stop();
    const peaks = await watched;
    const failures = [
      ...supervisor.unexpectedExits,
      ...attackers.flatMap(({ failures: ofAttack }) => ofAttack),
      ...good.failures,
    ];
    const windows = options.noPauses ? undefined : pairs;
    const observations = { peaks, windows, failures };
    const findings = findingsOf(observations);
    const whole = Math.round;
    return {
      findings,
      counts: {
        seed: options.seed,
        minutes: options.minutes,
        requests: attackers.reduce((sum, { sent }) => sum + sent, 0),
        statuses: attackers.join("; "),
        services: Object.fromEntries(
          [...peaks].map(([name, { mebibytes, turnCpuMs, turnMs }]) => [
            name,
            { mebibytes: whole(mebibytes), turn_cpu_ms: whole(turnCpuMs), turn_ms: whole(turnMs) },
          ]),
        ),
        p99_ratio: windows === undefined ? null : whole(ratioOf(windows) * 100) / 100,
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
  const platform = await openTestPlatform(onClose);
  const folder = await openTemporaryFolder("attack-operators", onClose);
  const apiToken = generateOperatorToken();
  const operatorsFile = join(folder, "operators.json");
  const operator = {
    actor: "attacker",
    token_sha256: operatorTokenHash(apiToken),
    rights: operatorRights,
    stores: [allStores],
  };
  await writeFile(operatorsFile, JSON.stringify([operator]));
  return {
    app,
    platform,
    apiToken,
    operatorsFile,
    apiPort: await freePort(),
    turnsFileOf: (service: string) => join(folder, `${service}.turns`),
  };
}

/** Creates a store to attack: an earlier one may have been closed by the attacks. */
async function newTarget({
  registries,
  edges,
  collections,
  app,
  platform,
  apiPort,
  apiToken,
}: Rig): Promise<AttackTarget> {
  const registry = partOf(registries);
  const edgeUrl = partOf(edges).url;
  const shop = `${randomUUID()}.example.test`;
  const { store } = await registry.admin.createStore({ shop, plan: Plan.PRO });
  const storeId = store?.id ?? "";
  const { results } = await registry.issuing.issueCertificates({ items: orderItems(100) }, inStore(storeId));
  const certificateId = results[0]?.certificateId ?? "";
  const certificate = await collections.certificates.findOne({ _id: certificateId });
  const { keyId } = await registry.admin.createApiKey({ label: "shop" }, inStore(storeId));
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
  return { edgeUrl, apiUrl, apiToken, shop, linkToken: certificate?.linkToken ?? "", merchant, app, platform, values };
}

interface AttackerOptions {
  readonly seed: number;
  /** Multiple of the attack's rate. */
  readonly rate: number;
}

/** Sends the requests of one attack. */
class Attacker {
  readonly failures: string[] = [];
  sent = 0;
  readonly #name: AttackName;
  readonly #attack: Attack;
  readonly #options: AttackerOptions;
  readonly #newTarget: () => Promise<AttackTarget>;
  readonly #statuses = new Counter();
  #requests: Promise<readonly AttackRequest[]> = Promise.resolve([]);
  #names: string[] = [];

  constructor(name: AttackName, options: AttackerOptions, newTarget: () => Promise<AttackTarget>) {
    this.#name = name;
    this.#attack = attacks[name];
    this.#options = options;
    this.#newTarget = newTarget;
  }

  toString(): string {
    return `${this.#name} ${this.sent}: ${this.#statuses}`;
  }

  /** Returns the names of the last requests. */
  takeNames(): readonly string[] {
    const names = this.#names;
    this.#names = [];
    return names;
  }

  /** Sends requests at the rate of the attack, and waits for the responses. */
  async run(durationMs: number, signal: AbortSignal): Promise<void> {
    const everyMs = 1_000 / (this.#attack.perSecond * this.#options.rate);
    const endAt = performance.now() + durationMs;
    let dueAt = performance.now() - everyMs;
    const send = async () => {
      while (!signal.aborted) {
        dueAt = Math.max(dueAt + everyMs, performance.now());
        if (dueAt >= endAt) return;
        await systemClock.sleep(Math.max(0, dueAt - performance.now()), signal);
        await this.#sendNext();
      }
    };
    await Promise.all(Array.from({ length: inProgressMax }, send));
  }

  async #sendNext(): Promise<void> {
    // An attack can close its store, end its session or use up its quota, and hide what later requests would reach.
    if (this.sent % requestsPerStore === 0)
      this.#requests = this.#newTarget().then((target) => this.#attack.open(target));
    const number = this.sent++;
    const requests = await this.#requests;
    const random = actorRandom(this.#options.seed, `${this.#name} ${number}`);
    const request = random.pick(requests);
    this.#names = [...this.#names.slice(-inProgressMax), request.name];
    const what = `request ${number}, ${request.name}`;
    try {
      const isBusy = ({ status }: Response) => status === 503 && request.expected?.includes(503) === false;
      const response = await sendPatiently(() => withinTime(request.send(random)), isBusy);
      await response.arrayBuffer();
      const { status } = response;
      this.#statuses.add(String(status));
      const isRefused = request.expected?.includes(status) ?? status !== 500;
      if (!isRefused) this.failures.push(`${what}: ${status}`);
    } catch (error) {
      if (error instanceof NoReply) this.failures.push(`${what}: ${error.message}`);
      // The services close the connection of a request that they cannot parse.
      else this.#statuses.add("closed");
    }
  }
}

class NoReply extends Error {}

function withinTime<T>(reply: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new NoReply(`no reply within ${replyWithinMs} ms`)), replyWithinMs);
  return Promise.race([reply, late.promise]).finally(() => clearTimeout(timer));
}
