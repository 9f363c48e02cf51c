import { randomUUID } from "node:crypto";
import { issueItem } from "../../harness/issue-items.ts";
import { partOf, type Stack } from "../../harness/stack/start-stack.ts";
import { quantile } from "../../harness/statistics.ts";
import type { PlatformMessage, TestPlatformApp } from "../../harness/storefront/test-platform-app.ts";
import { abortReason, type CheckContext, type Outcome } from "../runner/check.ts";
import type { Latencies } from "../runner/latencies.ts";
import { createStoreWithKey, type StoreWithKey } from "../runner/workload-store.ts";
import { measureClients } from "./measure-clients.ts";
import type { LoadOptions } from "./options.ts";

const goodStores = 49;
const rounds = 10;
const ratioMax = 1.5;
// Two requests per second and store: the rate that each store may use permanently.
const pauseMs = 450;
const largeBytes = 65_536;

interface Round {
  readonly without: Latencies;
  readonly beside: Latencies;
}

/**
 * Measures the latencies of 49 stores in ten alternating windows, without and beside a sender of correctly signed
 * bodies that are no messages of their store and topic. The check passes if no request of the stores failed, the
 * median ratio of the windows' p99 is below 1.5, every body but the unreadable orders was refused, and these are
 * bounded.
 */
export async function measureBesideGarbage(
  { registries, edges, collections }: Stack,
  app: TestPlatformApp,
  { options, signal, log }: CheckContext<LoadOptions>,
): Promise<Outcome> {
  const registry = partOf(registries);
  const edge = partOf(edges);
  const stores: StoreWithKey[] = [];
  for (let count = 0; count < goodStores; count += 1) {
    const store = await createStoreWithKey(registry);
    await registry.issuing.issueCertificates({
      storeId: store.id,
      items: Array.from({ length: 50 }, () => issueItem()),
    });
    stores.push(store);
  }
  const victim = await createStoreWithKey(registry);
  const { store } = await registry.admin.getStore({ by: { case: "storeId", value: victim.id } });
  const shop = store?.shop ?? "";
  const measure = () =>
    measureClients({
      url: `${edge.url}/v1/certificates?limit=50`,
      apiKeys: stores.map(({ apiKey }) => apiKey),
      clients: goodStores,
      seconds: options.seconds,
      pauseMs,
      signal,
    });
  await measure();
  const statuses = new Map<string, number>();
  const measured: Round[] = [];
  for (let round = 0; round < rounds && !signal.aborted; round += 1) {
    const without = await measure();
    const done = new AbortController();
    const sending = sendGarbage(app, edge.url, shop, options.garbageRate, done.signal, statuses);
    const beside = await measure();
    done.abort();
    await sending;
    log(`round ${round + 1}: p99 ${without.p99Ms} ms alone, ${beside.p99Ms} ms beside garbage`);
    measured.push({ without, beside });
  }
  const ratios = measured.map(({ without, beside }) => beside.p99Ms / without.p99Ms);
  const failed = measured.reduce((sum, { without, beside }) => sum + without.failed + beside.failed, 0);
  const stored = await collections.storefrontMessages.countDocuments({ store: victim.id });
  const unexpected = [...statuses.keys()].filter((key) => !expected.has(key));
  const ratio = Math.round(quantile(ratios, 0.5) * 100) / 100;
  return {
    lines: [`median ratio of p99: ${ratio}; ${failed} requests of good stores failed; ${stored} messages stored`],
    counts: { ratio, failed, stored, sent: Object.fromEntries(statuses), complete: !signal.aborted },
    passed:
      signal.aborted ||
      (failed === 0 && ratio < ratioMax && unexpected.length === 0 && stored <= storedMax * registries.length),
    endedEarly: abortReason(signal),
  };
}

// Each registry stores at most this many messages that cannot be read, because each counts the stored ones by itself.
const storedMax = 1_000;

/** The kinds of garbage; their payloads are signed correctly. */
const garbage: Readonly<Record<string, Omit<PlatformMessage, "shop">>> = {
  // The first two parts of a session token, which some platforms sign with the same secret.
  token: { topic: "orders/paid", payload: `${"e30".repeat(20)}.${"eyJ9".repeat(100)}` },
  large: { topic: "orders/paid", payload: JSON.stringify("x".repeat(largeBytes)) },
  removal: {
    topic: "app/uninstalled",
    payload: '{"id":1,"title":"Print","tags":""}',
    triggeredAt: "2100-01-01T00:00:00Z",
  },
  foreign: {
    topic: "customers/redact",
    payload: '{"shop_domain":"other.example","customer":null,"orders_to_redact":[]}',
  },
  unreadable: { topic: "orders/paid", payload: '{"id":"odd"}' },
};

const expected = new Set(["token 400", "large 400", "removal 400", "foreign 400", "unreadable 200"]);

/** Sends garbage at a rate until the signal aborts, and counts the responses by kind and status. */
async function sendGarbage(
  app: TestPlatformApp,
  edgeUrl: string,
  shop: string,
  rate: number,
  signal: AbortSignal,
  statuses: Map<string, number>,
): Promise<void> {
  const kinds = Object.entries(garbage);
  const startedAt = performance.now();
  const sending = new Set<Promise<void>>();
  for (let count = 0; !signal.aborted; ) {
    const due = Math.floor(((performance.now() - startedAt) * rate) / 1_000);
    for (; count < due; count += 1) {
      const [kind, message] = kinds[count % kinds.length] ?? [];
      if (kind === undefined || message === undefined) break;
      const one = app.send(edgeUrl, { ...message, shop, webhookId: randomUUID() }).then(
        async (response) => {
          await response.body?.cancel();
          const key = `${kind} ${response.status}`;
          statuses.set(key, (statuses.get(key) ?? 0) + 1);
        },
        () => statuses.set(`${kind} failed`, (statuses.get(`${kind} failed`) ?? 0) + 1),
      );
      const settled = one.then(() => void sending.delete(settled));
      sending.add(settled);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await Promise.all(sending);
}
