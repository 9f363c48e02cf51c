import type { OrderStory } from "./order-story.ts";

/** A certificate, with the number of events in its history. */
interface FoundCertificate {
  /** The order unit for which the certificate was issued: `order/line/unit`. */
  readonly unit: string;
  readonly status: string;
  readonly eventCount: number;
}

/** Compares the certificates with those that the orders must have, unit by unit. */
export function judge(stories: readonly Pick<OrderStory, "validUnits">[], found: readonly FoundCertificate[]) {
  const expected = new Set(stories.flatMap(({ validUnits }) => validUnits));
  const valid = found.filter(({ status }) => status === "active").map(({ unit }) => unit);
  const lost = expected.difference(new Set(valid));
  const unexpected = valid.filter((unit) => !expected.has(unit));
  const repeated = Map.groupBy(found, ({ unit }) => unit)
    .entries()
    .flatMap(([unit, certificates]) => Array<string>(certificates.length - 1).fill(unit))
    .toArray();
  const odd = found.filter(({ status, eventCount }) => eventCount !== (status === "active" ? 1 : 2));
  return {
    lost: lost.size,
    doubled: unexpected.length + repeated.length,
    events: odd.length,
    findings: [
      ...[...lost].map((unit) => `unit ${unit} has no valid certificate`),
      ...unexpected.map((unit) => `unit ${unit} has a valid certificate and should have none`),
      ...repeated.map((unit) => `unit ${unit} has more than one certificate`),
      ...odd.map(({ unit, status, eventCount }) => `unit ${unit}: ${status} certificate with ${eventCount} events`),
    ],
  };
}
