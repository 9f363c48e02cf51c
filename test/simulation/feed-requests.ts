import { randomBytes } from "node:crypto";
import { ServiceError } from "#shared/errors/service-error.ts";
import { hashApiKey } from "#shared/keys/api-key.ts";
import { operationTimeLimitMs } from "../../services/registry/mongo/driver/time-limits.ts";
import { type CreatedApiKey, createApiKey, rollApiKey } from "../../services/registry/stores/issue-api-key.ts";
import type { Plan } from "../../services/registry/values/store.ts";
import { isShortened } from "./fault.ts";
import { call, callUntilKnown, type FeedWorld } from "./feed-world.ts";
import { choicesOf } from "./run-in-world.ts";
import { withNotifiers } from "./simulated-replica.ts";

const { limit, windowMs } = withNotifiers.policy;
const clientCount = 3;
const pauseMaxMs = 800;
const waitsMs = 1_000;
const graceMs = 86_400_000;
/** Until then, the registries that were paused last continue, and what was late has arrived. */
const settleMs = 30_000;
// A decision made before the clock was set back can hold time up for as long as an operation may take.
const lockedMaxMs = windowMs + operationTimeLimitMs + 2 * waitsMs;

/** An admitted request that keeps its place. The decision was made between these times. */
interface Admission {
  readonly sentMs: number;
  readonly answeredMs: number;
}

/** The clients of a store's list, which share a key. */
interface ListClients {
  readonly history: FeedWorld;
  key: CreatedApiKey;
  readonly admissions: Admission[];
}

/**
 * Asks for lists more often than the limit permits, and sometimes returns a place, rolls the key or changes the plan.
 * Once the faults have ended, and the plan is Pro, a request must be admitted within a window.
 */
export async function requestLists(history: FeedWorld): Promise<void> {
  const { world, problems } = history;
  const clients: ListClients = { history, key: await createKey(history), admissions: [] };
  const names = Array.from({ length: clientCount }, (_, index) => `client${index}`);
  await Promise.all([...names.map((name) => askAgain(clients, name)), changeAccess(clients)]);
  await world.delay(settleMs);
  // A paused registry may have changed the plan to Basic late, after the client had repeated that change and gone on.
  await setPlan(history, "pro");
  const fromMs = world.now();
  while (!(await ask(clients, true)) && world.now() - fromMs <= lockedMaxMs) await world.delay(pauseMaxMs);
  if (world.now() - fromMs > lockedMaxMs)
    problems.push(`no request is admitted within ${lockedMaxMs} ms, with a window of ${windowMs} ms`);
  problems.push(...tooMany(clients));
}

async function askAgain(clients: ListClients, name: string): Promise<void> {
  const { history } = clients;
  const random = choicesOf(history, name);
  while (!history.isEnding) {
    await history.world.delay(random.below(pauseMaxMs));
    await ask(clients, !random.chance(0.1));
  }
}

/**
 * Asks for the list.
 *
 * @param isKept whether the request keeps its place in the window; otherwise it returns the place
 * @returns whether it is admitted
 */
async function ask({ history, key, admissions }: ListClients, isKept: boolean): Promise<boolean> {
  const { world, storeId } = history;
  const sentMs = world.now();
  const hash = hashApiKey(key.apiKey);
  const id = randomBytes(16);
  const limits = { id, remainingMs: remainingFrom(history, sentMs) };
  const decision = await call(history, (registry) => registry.admissions.admit(hash, limits), { waitsMs });
  const isAdmitted = decision?.admission === "admitted";
  if (isAdmitted && isKept) admissions.push({ sentMs, answeredMs: world.now() });
  if (!isKept) await call(history, (registry) => registry.admissions.returnPlaces(hash, [id], storeId), { waitsMs });
  return isAdmitted;
}

/** Rolls the key, and changes the plan for a while. */
async function changeAccess(clients: ListClients): Promise<void> {
  const { history } = clients;
  const { world, script, storeId } = history;
  const random = choicesOf(history, "access");
  for (let count = 1; !history.isEnding; count++) {
    await world.delay(random.below(10_000));
    if (history.isEnding) return;
    const rolls = random.chance(0.5);
    const words = rolls ? "the API key is rolled" : "the plan changes to Basic and back";
    if (!script.happens(`access ${count}`, world.now(), words)) continue;
    if (rolls) {
      const input = { storeId, keyId: clients.key.keyId, graceMs, label: "", actor: "client" };
      const rolled = await call(history, ({ keys }) => rollApiKey(keys, input)).catch(ignoreRolled);
      clients.key = rolled ?? (await createKey(history));
    } else for (const plan of ["basic", "pro"] as const) await setPlan(history, plan);
  }
}

function createKey(history: FeedWorld): Promise<CreatedApiKey> {
  const input = { storeId: history.storeId, label: "key", actor: "client" };
  return callUntilKnown(history, ({ keys }) => createApiKey(keys, input));
}

function remainingFrom({ world }: FeedWorld, sentMs: number): () => number {
  return () => {
    const leftMs = sentMs + waitsMs - world.now();
    if (leftMs <= 0) throw new ServiceError("unavailable", "The client has gone.");
    return leftMs;
  };
}

/** A roll whose reply was lost, repeated. */
function ignoreRolled(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}

function setPlan(history: FeedWorld, plan: Plan): Promise<true> {
  const { storeId } = history;
  const change = { action: "plan.set", actor: "client", details: { plan } } as const;
  return callUntilKnown(history, async ({ stores }) => {
    await stores.setPlan(storeId, plan, change);
    return true as const;
  });
}

/** Judges by the requests that were certainly decided within a window, however long each call took. */
function tooMany({ history, admissions }: ListClients): string[] {
  return admissions.flatMap(({ sentMs }) => {
    const within = admissions.filter((one) => one.sentMs >= sentMs && one.answeredMs < sentMs + windowMs);
    return within.length > limit && !isShortened(history, sentMs, windowMs)
      ? [`${within.length} requests are admitted within a window, for which ${limit} may be`]
      : [];
  });
}
