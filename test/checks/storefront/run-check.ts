import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { partOf, type Stack, startStack } from "../../harness/stack/start-stack.ts";
import { quantile } from "../../harness/statistics.ts";
import { allProducts } from "../../harness/storefront/rules.ts";
import { openTestPlatformApp } from "../../harness/storefront/test-platform-app.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { ProcessKiller } from "../runner/process-killer.ts";
import { type CheckReport, firstFindings, runCheck } from "../runner/run-check.ts";
import { type StorefrontOptions, storefrontCommand } from "./options.ts";
import { makeOrderStory } from "./order-story.ts";
import { type SentStories, sendStories } from "./send-stories.ts";
import { judge } from "./verdict.ts";

type Rig = Stack & Awaited<ReturnType<typeof openApp>>;

const shop = "check.example.test";
const killEveryMs = 3_000;
// Work that makes no progress for this long counts as stopped.
const quietMs = 120_000;

/** Runs the storefront check: one store's orders arrive at a fixed rate and, with `--kill`, registries are killed. */
export const runStorefrontCheck = () =>
  runCheck(storefrontCommand, (options) => ({
    seed: options.seed,
    start: (signal, log) => startRig(options, signal, log),
    examine: (rig, signal, log) => examine(rig, options, signal, log),
  }));

async function openApp() {
  const removals: (() => Promise<void>)[] = [];
  const app = await openTestPlatformApp((remove) => removals.push(remove));
  return { app, removeApp: () => Promise.all(removals.map((remove) => remove())) };
}

async function startRig({ noBuild, keep }: StorefrontOptions, signal: AbortSignal, log: Log): Promise<Rig> {
  const opened = await openApp();
  const stack = await startStack({
    name: "check-storefront",
    keep,
    signal,
    log,
    buildFast: !noBuild,
    restart: true,
    registries: [{}, {}],
    edges: [{ env: { EDGE_PLATFORM_SECRET_FILE: opened.app.secretFile } }],
  });
  stack.supervisor.onClose(opened.removeApp);
  return { ...stack, ...opened };
}

async function examine(rig: Rig, options: StorefrontOptions, signal: AbortSignal, log: Log): Promise<CheckReport> {
  const { app, registries, edges, supervisor, collections } = rig;
  const { admin, storefront } = partOf(registries);
  const { store } = await admin.createStore({ shop, plan: Plan.PRO });
  const storeId = store?.id ?? "";
  await storefront.setStorefrontRules({ storeId, rules: [allProducts] });
  const random = actorRandom(options.seed, "orders");
  const stories = Array.from({ length: options.orders }, () => makeOrderStory(random));
  let acknowledgedCount = 0;
  const killer = new ProcessKiller({
    processes: registries.map(({ process }) => process),
    random: actorRandom(options.seed, "kills"),
    everyMs: killEveryMs,
    changes: () => acknowledgedCount,
  });
  log(`sending ${stories.length} orders, ${options.rate} a second`);
  const killing = options.kill ? killer.run() : undefined;
  const onAcknowledged = () => void acknowledgedCount++;
  const target = { app, edgeUrl: partOf(edges).url, shop };
  const sent = await sendStories({ ...target, stories, rate: options.rate, onAcknowledged, signal });
  killer.stop();
  await killing;
  const drainedAt = performance.now();
  const isDrained = await untilDrained(rig, storeId, signal);
  const drainSeconds = (performance.now() - drainedAt) / 1_000;
  const verdict = judge(stories, await readCertificates(collections, storeId));
  return reportOf(options, {
    sent,
    verdict,
    isComplete: isDrained && !signal.aborted,
    wasAborted: signal.aborted,
    drainSeconds,
    kills: killer.kills,
    crashes: supervisor.unexpectedExits,
  });
}

/** Waits until no message and no order is waiting. @returns false if the work has stopped or the signal aborts */
async function untilDrained({ registries }: Rig, storeId: string, signal: AbortSignal): Promise<boolean> {
  const { storefront } = partOf(registries);
  let fewest = Number.POSITIVE_INFINITY;
  for (let progressAt = performance.now(); performance.now() - progressAt < quietMs && !signal.aborted; ) {
    const { waitingCount } = await storefront.getStorefront({ storeId });
    if (waitingCount === 0) return true;
    if (waitingCount < fewest) progressAt = performance.now();
    fewest = Math.min(fewest, waitingCount);
    await systemClock.sleep(200, signal);
  }
  return false;
}

async function readCertificates({ certificates, history }: Stack["collections"], storeId: string) {
  const found = await certificates.find({ store: storeId }).toArray();
  const events = await history.find({ store: storeId }, { projection: { certificate: 1 } }).toArray();
  const counts = Map.groupBy(events, ({ certificate }) => certificate);
  return found.map(({ _id, issueKey = _id, status }) => ({
    unit: issueKey,
    status,
    eventCount: counts.get(_id)?.length ?? 0,
  }));
}

interface Outcome {
  readonly sent: SentStories;
  readonly verdict: ReturnType<typeof judge>;
  readonly isComplete: boolean;
  readonly wasAborted: boolean;
  readonly drainSeconds: number;
  readonly kills: number;
  readonly crashes: readonly string[];
}

function reportOf(options: StorefrontOptions, outcome: Outcome): CheckReport {
  const { sent, verdict, isComplete: complete, wasAborted, drainSeconds, kills, crashes } = outcome;
  const { findings, ...counts } = verdict;
  const violations = { ...counts, unacknowledged: sent.unacknowledged, crashed: crashes.length };
  const responseMs = (share: number) => Math.round(quantile(sent.responseTimes, share) * 10) / 10;
  return {
    lines: firstFindings([...crashes, ...findings]),
    json: JSON.stringify({
      seed: options.seed,
      orders: options.orders,
      messages: sent.responseTimes.length,
      repeated: sent.repeated,
      orders_per_second: Math.round((options.orders / sent.seconds) * 10) / 10,
      response_p50_ms: responseMs(0.5),
      response_p99_ms: responseMs(0.99),
      response_max_ms: responseMs(1),
      over_one_second: sent.responseTimes.filter((ms) => ms > 1_000).length,
      drain_seconds: Math.round(drainSeconds * 10) / 10,
      kills,
      ...violations,
      complete,
    }),
    // After an early end, orders that were not sent or processed look like violations.
    passed: Object.values(wasAborted ? { crashed: crashes.length } : violations).every((count) => count === 0),
    complete,
  };
}
