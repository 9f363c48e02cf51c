import { inStore } from "../../harness/in-store.ts";
import { paths } from "../arrivals.ts";
import type { BenchStack } from "../bench-stack.ts";
import { figuresOnly, type Part } from "./part.ts";
import { comparePhases } from "./phases.ts";
import { createStores, createTargets, issueIn } from "./stores.ts";

const goodStores = 49;
// A backlog of 1,000 events for the default round of two seconds: far more than are sent while the receiver hangs. To
// issue and skip more of them takes longer than what is measured.
const backlogPerSecond = 500;
const issuedAtOnce = 500;

/**
 * Measures how a store with a backlog and a hanging receiver affects the message latency of other stores. Every
 * delivery to this receiver lasts until it times out after 8 s. Phases with the hanging receiver alternate with phases
 * in which the store makes the same changes but has no webhook.
 */
export const measureIsolation: Part = async (stack, options) => {
  const [badId = ""] = await createStores(stack, 1);
  const targets = await createTargets(stack, goodStores, stack.arrivals.urlOf(paths.notifier));
  const backlog = Math.ceil((backlogPerSecond * options.roundMs) / 1_000);
  const phase = (url: string, whenReady: () => Promise<unknown>) => ({
    start: async () => {
      await stack.registry.admin.setWebhook({ url }, inStore(badId));
      await issueBacklog(stack, badId, backlog);
      await whenReady();
    },
    stop: async () => {
      // Without a URL, the waiting events are skipped; hanging deliveries end when they time out.
      await stack.registry.admin.setWebhook({ url: "" }, inStore(badId));
      await stack.deliveries.whenSettled();
    },
  });
  const numbers = await comparePhases(stack, targets, options, {
    // Each phase begins by issuing a backlog of the same size. In the phase without a URL, the events are skipped.
    without: phase("", () => stack.deliveries.whenSettled()),
    beside: phase(stack.arrivals.urlOf(paths.hanging), async () => {
      await stack.deliveries.whenTaken();
      await stack.arrivals.whenHanging();
    }),
  });
  const title = `webhooks: latency (ms) of ${goodStores} stores, without and with another store whose receiver hangs (${backlog} events)`;
  return { hanging_store: figuresOnly(title, numbers) };
};

async function issueBacklog(stack: BenchStack, storeId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= issuedAtOnce) await issueIn(stack, storeId, Math.min(left, issuedAtOnce));
}
