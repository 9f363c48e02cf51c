import { setTimeout as delay } from "node:timers/promises";
import { inStore } from "../../harness/in-store.ts";
import { paths } from "../arrivals.ts";
import type { BenchStack } from "../bench-stack.ts";
import { startFloodingReceivers } from "../floods/start-floods.ts";
import { figuresOnly, type Part } from "./part.ts";
import { comparePhases } from "./phases.ts";
import { createStores, createTargets, issueIn } from "./stores.ts";

const goodStores = 49;
const floodingStores = 10;
const changeEveryMs = 1_000;

/**
 * Measures how ten stores whose receivers flood every connection with session tickets affect the message latency of
 * other stores. Compares phases in which the receivers flood with phases in which the ten stores have no webhook. In
 * both, each of the ten stores makes about one change per second.
 */
export const measureTlsFlood: Part = async (stack, options) => {
  const floodingIds = await createStores(stack, floodingStores);
  const targets = await createTargets(stack, goodStores, stack.arrivals.urlOf(paths.notifier));
  const { cert: certFile, key: keyFile } = stack.secrets.receiver;
  const receivers = await startFloodingReceivers({ certFile, keyFile, count: floodingStores });
  stack.onClose(() => receivers.close());
  const setUrls = async (urlOf: (index: number) => string) => {
    for (const [index, storeId] of floodingIds.entries())
      await stack.registry.admin.setWebhook({ url: urlOf(index) }, inStore(storeId));
  };
  const phase = (urlOf: (index: number) => string) => {
    let changes: ReturnType<typeof changeRegularly> | undefined;
    return {
      start: async () => {
        await setUrls(urlOf);
        changes = changeRegularly(stack, floodingIds);
      },
      stop: async () => {
        await changes?.stop();
        await setUrls(() => "");
        await stack.deliveries.whenSettled();
      },
    };
  };
  const numbers = await comparePhases(stack, targets, options, {
    without: phase(() => ""),
    beside: phase((index) => `https://127.0.0.1:${receivers.ports[index]}/`),
  });
  const floods = await receivers.floodsBegun();
  if (floods === 0) throw new Error("no receiver began a flood");
  const title = `webhooks: latency (ms) of ${goodStores} stores, without and during ${floods} floods by receivers of ${floodingStores} other stores`;
  return { flooding_stores: figuresOnly(title, { ...numbers, floods }) };
};

/** Makes about one change per second in each store until `stop` is called. */
function changeRegularly(stack: BenchStack, storeIds: readonly string[]) {
  const ending = new AbortController();
  const loop = async () => {
    while (!ending.signal.aborted) {
      await Promise.all(storeIds.map((storeId) => issueIn(stack, storeId, 1)));
      await delay(changeEveryMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  const ended = loop();
  // stop() reports a failure; until then the rejection must not count as unhandled.
  ended.catch(() => undefined);
  return {
    stop: () => {
      ending.abort();
      return ended;
    },
  };
}
