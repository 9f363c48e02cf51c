import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { decimal, flag, integer, seed, stackOptions } from "../../../deploy/local/stack/command-line.ts";
import { inStore } from "../../harness/in-store.ts";
import { actorRandom } from "../../harness/seeded-random.ts";
import { partOf, type Stack } from "../../harness/stack/start-stack.ts";
import { quantile } from "../../harness/statistics.ts";
import { allProducts } from "../../harness/storefront/rules.ts";
import { openTestPlatformApp } from "../../harness/storefront/test-platform-app.ts";
import { abortReason, defineCheck } from "../runner/check.ts";
import { ProcessKiller } from "../runner/process-killer.ts";
import { makeOrderStory } from "./order-story.ts";
import { sendStories } from "./send-stories.ts";
import { judge } from "./verdict.ts";

const shop = "check.example.test";
const killEveryMs = 3_000;
// Work that makes no progress for this long counts as stopped.
const quietMs = 120_000;

/** `npm run check:storefront`: one store's orders arrive at a fixed rate and, with `--kill`, registries are killed. */
export const storefrontCheck = defineCheck({
  name: "storefront",
  options: {
    rate: decimal(0.1, 1_000, "orders per second, all from one store").default(50),
    orders: integer(1, 1_000_000, "orders in total").default(1_500),
    kill: flag("kills the registries with SIGKILL throughout the run"),
    seed,
    ...stackOptions,
  },
  zero: {
    lost: "units that should have a valid certificate and have none",
    doubled: "certificates of a unit that already has one, or valid ones of a unit that should have none",
    unacknowledged: "messages that were never accepted",
    events: "certificates whose history does not have the expected number of events",
    crashed: "process exits that the check did not cause",
  },
  notes: {
    after: "For comparison, not judged: response times, and how long the backlog lasted after the last message.",
  },
  start: async ({ startStack, onClose }) => {
    const app = await openTestPlatformApp(onClose);
    const stack = await startStack({
      registries: [{}, {}],
      edges: [{ env: { EDGE_PLATFORM_SECRET_FILE: app.secretFile } }],
    });
    return { ...stack, app };
  },
  examine: async ({ app, registries, edges, supervisor, collections }, { options, signal, log }) => {
    const { seed, orders, rate } = options;
    const { admin, storefront } = partOf(registries);
    const { store } = await admin.createStore({ shop, plan: Plan.PRO });
    const storeId = store?.id ?? "";
    await storefront.setStorefrontRules({ rules: [allProducts] }, inStore(storeId));
    const random = actorRandom(seed, "orders");
    const stories = Array.from({ length: orders }, () => makeOrderStory(random));
    let acknowledgedCount = 0;
    const killer = new ProcessKiller({
      processes: registries.map(({ process }) => process),
      random: actorRandom(seed, "kills"),
      everyMs: killEveryMs,
      changes: () => acknowledgedCount,
    });
    log(`sending ${stories.length} orders, ${rate} a second`);
    const killing = options.kill ? killer.run() : undefined;
    const onAcknowledged = () => void acknowledgedCount++;
    const sent = await sendStories({ app, edgeUrl: partOf(edges).url, shop, stories, rate, onAcknowledged, signal });
    killer.stop();
    await killing;
    const drainedAt = performance.now();
    const isDrained = await untilDrained(registries, storeId, signal);
    const drainSeconds = (performance.now() - drainedAt) / 1_000;
    const verdict = judge(stories, await readCertificates(collections, storeId));
    const crashes = supervisor.unexpectedExits;
    const endedEarly = abortReason(signal) ?? (isDrained ? undefined : "messages or orders were still waiting");
    const tenth = (value: number) => Math.round(value * 10) / 10;
    const responseMs = (share: number) => tenth(quantile(sent.responseTimes, share));
    return {
      findings: [...crashes, ...verdict.findings],
      counts: {
        seed,
        orders,
        messages: sent.responseTimes.length,
        repeated: sent.repeated,
        orders_per_second: tenth(orders / sent.seconds),
        response_p50_ms: responseMs(0.5),
        response_p99_ms: responseMs(0.99),
        response_max_ms: responseMs(1),
        over_one_second: sent.responseTimes.filter((ms) => ms > 1_000).length,
        drain_seconds: tenth(drainSeconds),
        kills: killer.kills,
        lost: verdict.lost,
        doubled: verdict.doubled,
        events: verdict.events,
        unacknowledged: sent.unacknowledged,
        crashed: crashes.length,
        complete: endedEarly === undefined,
      },
      // After Ctrl-C, orders that were not sent or processed look like violations.
      judged: signal.aborted ? ["crashed"] : undefined,
      endedEarly,
    };
  },
});

/** Waits until no message and no order is waiting. @returns false if the work has stopped or the signal aborts */
async function untilDrained(registries: Stack["registries"], storeId: string, signal: AbortSignal): Promise<boolean> {
  const { storefront } = partOf(registries);
  let fewest = Number.POSITIVE_INFINITY;
  for (let progressAt = performance.now(); performance.now() - progressAt < quietMs && !signal.aborted; ) {
    const { waitingCount } = await storefront.getStorefront({}, inStore(storeId));
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
