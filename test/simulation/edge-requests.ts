import { generateApiKey } from "#shared/keys/api-key.ts";
import { systemClock } from "#shared/time/clock.ts";
import { MongoApiKeys } from "../../services/registry/mongo/admissions/mongo-api-keys.ts";
import { operationTimeLimitMs } from "../../services/registry/mongo/driver/time-limits.ts";
import { MongoStoreDirectory } from "../../services/registry/mongo/stores/mongo-store-directory.ts";
import { rollApiKey } from "../../services/registry/stores/issue-api-key.ts";
import { type EdgeWorld, request, untilDone } from "./edge-world.ts";
import { isShortened } from "./fault.ts";
import { choicesOf } from "./run-in-world.ts";
import { withEdges } from "./simulated-replica.ts";
import { storeHistoryOf } from "./simulated-store.ts";

const { limit, windowMs } = withEdges.policy;
const clientCount = 3;
const pauseMaxMs = 3_000;
const burstMax = 6;
const waitsMs = 7_000;
const graceMs = 86_400_000;
const guessPauseMs = 2_000;
// More than the edges look up for one address.
const guessBurst = 240;
const guessesAtOnce = 6;
// A decision made before the clock was set back can hold time up for as long as an operation may take.
const lockedMaxMs = windowMs + operationTimeLimitMs + 5_000;

/** A request of a client of the loud store. Its decision was made between these times. */
interface Asked {
  readonly sentMs: number;
  readonly endedMs: number;
  /** `unknown`: the client left, or the connection was lost. Such a request may hold a place. */
  readonly result: "admitted" | "failed" | "unknown";
}

/** What the clients of the loud store have asked for. */
export type LoudRequests = Asked[];

/** Asks for lists far more often than the limit permits, until the history ends. */
export async function floodLists(history: EdgeWorld, asked: LoudRequests): Promise<void> {
  const names = Array.from({ length: clientCount }, (_, index) => `client${index}`);
  await Promise.all([...names.map((name) => askAgain(history, name, asked)), guessKeys(history)]);
}

async function askAgain(history: EdgeWorld, name: string, asked: LoudRequests): Promise<void> {
  const { world, script } = history;
  const random = choicesOf(history, name);
  for (let number = 1; history.isFlooded; number++) {
    await world.delay(random.below(pauseMaxMs));
    const count = random.chance(0.1) ? random.below(burstMax) : 1;
    const leaves = history.isRough && random.chance(0.05) && history.calmFromMs === undefined;
    const leavesMs = leaves ? random.below(60) : waitsMs;
    const words = `${name} asks for ${count} lists, and waits for ${leavesMs} ms (${number})`;
    // In the calm, the store must get its whole limit.
    const happens = history.calmFromMs !== undefined || script.happens(`${name} ${number}`, world.now(), words);
    if (happens) await Promise.all(Array.from({ length: count }, () => ask(history, leavesMs, asked)));
  }
}

async function ask(history: EdgeWorld, leavesMs: number, asked: LoudRequests): Promise<void> {
  const { world, loud } = history;
  const sentMs = world.now();
  const headers = { authorization: `Bearer ${loud.apiKey}` };
  const get = { method: "GET", path: "/v1/certificates?limit=2", headers, from: "203.0.113.7" } as const;
  const response = await request(history, { ...get, waitsMs: leavesMs });
  const result = response === undefined ? "unknown" : response.status === 200 ? "admitted" : "failed";
  asked.push({ sentMs, endedMs: world.now(), result });
  if (response !== undefined && ![200, 403, 429, 503].includes(response.status))
    history.problems.push(`a list request is answered with ${response.status}: ${response.body}`);
}

/** Sends keys that do not exist, from the address of the clients that follow the list. */
async function guessKeys(history: EdgeWorld): Promise<void> {
  const { world } = history;
  const ask = (apiKey: string) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const get = { method: "GET", path: "/v1/certificates", headers, from: "203.0.113.9", waitsMs } as const;
    return request(history, get);
  };
  const guess = async () => {
    const response = await ask(generateApiKey());
    if (response !== undefined && ![401, 429, 503].includes(response.status))
      history.problems.push(`a key that does not exist is answered with ${response.status}`);
  };
  const random = choicesOf(history, "guesses");
  const burstsOnce = random.chance(0.3);
  while (history.isFlooded) {
    await world.delay(random.below(guessPauseMs));
    await guess();
    if (history.calmFromMs !== undefined && burstsOnce) break;
  }
  if (!history.isFlooded) return;
  history.bounds.entriesMax += guessBurst;
  // Few at a time, so that the edges look them up instead of refusing them for their number.
  for (let count = 0; count < guessBurst; count += guessesAtOnce)
    await Promise.all(Array.from({ length: guessesAtOnce }, guess));
  const known = await ask(history.quiet.apiKey);
  if (known?.status !== 200) history.problems.push(`a known key is answered with ${known?.status} beside guesses`);
}

/** Rolls the key of the loud store, and changes its plan for a while, again and again until a time. */
export async function changeAccess(history: EdgeWorld, untilMs: number): Promise<void> {
  const { world, loud, collections, script } = history;
  const random = choicesOf(history, "access");
  const storeHistory = storeHistoryOf(history);
  const keys = new MongoApiKeys(collections.access, storeHistory);
  const stores = new MongoStoreDirectory(collections, storeHistory, systemClock);
  const setPlan = (plan: "basic" | "pro") =>
    untilDone(history, () =>
      stores.setPlan(loud.id, plan, { action: "plan.set", actor: "simulation", details: { plan } }),
    );
  for (let number = 1; ; number++) {
    await world.delay(random.below(15_000));
    if (world.now() >= untilMs) return;
    const rolls = random.chance(0.6);
    const words = rolls ? "the API key is rolled" : "the plan changes to Basic and back";
    if (!script.happens(`access ${number}`, world.now(), words)) continue;
    if (rolls) {
      const input = { storeId: loud.id, keyId: loud.keyId, graceMs, label: "", actor: "simulation" };
      // One whose reply is lost is not repeated: the old key remains valid.
      const rolled = await rollApiKey(keys, input).catch(() => undefined);
      if (rolled !== undefined) Object.assign(loud, rolled);
    } else {
      await setPlan("basic");
      await world.delay(random.below(3_000));
      await setPlan("pro");
    }
  }
}

/**
 * Judges by the requests that were certainly decided within a window, however long each took.
 *
 * @param untilMs when the clients ended
 */
export function judgeRequests(history: EdgeWorld, asked: LoudRequests, calmFromMs: number, untilMs: number): string[] {
  const admitted = asked.filter(({ result }) => result === "admitted");
  const certain = (fromMs: number) =>
    admitted.filter((one) => one.sentMs >= fromMs && one.endedMs < fromMs + windowMs).length;
  const whole = admitted.filter(({ sentMs }) => !isShortened(history, sentMs, windowMs));
  const most = Math.max(0, ...whole.map(({ sentMs }) => certain(sentMs)));
  const calm = admitted.map(({ endedMs }) => endedMs).filter((endedMs) => endedMs >= calmFromMs);
  // The clients of these have left; each may have taken a place.
  const left = asked.filter(({ endedMs, result }) => result === "unknown" && endedMs >= calmFromMs);
  const times = [calmFromMs, ...calm.toSorted((one, other) => one - other), untilMs];
  const longest = Math.max(...times.slice(1).map((endedMs, index) => endedMs - (times[index] ?? endedMs)));
  return [
    ...(most > limit ? [`${most} requests are admitted within a window, for which ${limit} may be`] : []),
    ...(longest > lockedMaxMs ? [`no request is admitted for ${longest} ms, with a window of ${windowMs} ms`] : []),
    ...(untilMs - calmFromMs > lockedMaxMs && calm.length + left.length < limit
      ? [`${calm.length} requests are admitted in ${untilMs - calmFromMs} ms, in which ${limit} must be`]
      : []),
  ];
}

/**
 * Judges the places that the loud store's requests hold, once those of failed requests must have been returned: a
 * request that was refused or failed holds none.
 */
export async function judgePlaces(
  { world, wrong, collections, loud }: EdgeWorld,
  asked: LoudRequests,
): Promise<string[]> {
  const fromMs = world.now() - windowMs;
  const access = await collections.access.findOne({ _id: loud.id });
  const held = (access?.admitted ?? [])
    .filter(({ at }) => at.getTime() > fromMs + wrong.databaseMs)
    .reduce((count, { ids }) => count + ids.length, 0);
  // One whose client has left may be decided later.
  const lateMs = { admitted: 0, unknown: waitsMs } as const;
  const possible = asked.filter(
    ({ endedMs, result }) => result !== "failed" && endedMs >= fromMs - lateMs[result],
  ).length;
  return held > possible ? [`${held} places are held by ${possible} requests`] : [];
}
