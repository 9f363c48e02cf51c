import type { OrderStory } from "./order-story.ts";

/** A certificate, with the number of events in its history. */
export interface FoundCertificate {
  readonly orderId: string;
  readonly status: string;
  readonly eventCount: number;
}

/** Counts of violations, which must be 0. */
export interface StorefrontVerdict {
  readonly lost: number;
  readonly doubled: number;
  readonly events: number;
  /** Sentences that describe the violations. */
  readonly findings: readonly string[];
}

/** Compares the certificates with what the orders ask for. */
export function judge(stories: readonly OrderStory[], found: readonly FoundCertificate[]): StorefrontVerdict {
  const byOrder = Map.groupBy(found, ({ orderId }) => orderId);
  const differences = stories.map(({ orderId, validCount }) => {
    const valid = (byOrder.get(String(orderId)) ?? []).filter(({ status }) => status === "active").length;
    return { orderId, difference: valid - validCount };
  });
  const wrong = differences.filter(({ difference }) => difference !== 0);
  const odd = found.filter(({ status, eventCount }) => eventCount !== (status === "active" ? 1 : 2));
  return {
    lost: wrong.reduce((sum, { difference }) => sum + Math.max(0, -difference), 0),
    doubled: wrong.reduce((sum, { difference }) => sum + Math.max(0, difference), 0),
    events: odd.length,
    findings: [
      ...wrong.map(
        ({ orderId, difference }) => `order ${orderId}: the number of valid certificates is off by ${difference}`,
      ),
      ...odd.map(
        ({ orderId, status, eventCount }) =>
          `order ${orderId}: ${eventCount} events of a certificate that is ${status}`,
      ),
    ],
  };
}
