import type { Status } from "../certificates/certificate.ts";
import { nameOf } from "../certificates/imported-order.ts";
import type { OrderLine } from "./message.ts";

/** The fields of an order's certificate that {@link assignCertificates} and planOrder use. */
export interface OrderCertificate {
  readonly id: string;
  readonly status: Status;
  /** See `Certificate.wasWithdrawn`. */
  readonly wasWithdrawn: boolean;
  /** Id of the line on the platform, or position of the row in an imported file. */
  readonly line: string;
  /** Number of the unit within the line, from 1. */
  readonly unit: number;
  readonly sku: string;
  readonly title: string;
  readonly variant: string;
}

/** Certificates by the id of their line, and those that match no line. */
interface AssignedCertificates {
  readonly byLine: ReadonlyMap<string, readonly OrderCertificate[]>;
  readonly leftover: readonly OrderCertificate[];
}

type Item = Pick<OrderLine, "sku" | "title" | "variant">;

/** A certificate matches the lines that have its key. */
interface Match {
  readonly keyOf: (certificate: Item) => string;
  readonly keysOf: (line: Item) => readonly string[];
}

// Ordered from the most reliable match to the least. An imported certificate's title may come from the catalogue and
// then differ from the line's title, so a match by name alone counts only if the certificate or the line has no SKU.
const matches: readonly Match[] = [
  { keyOf: skuAndName, keysOf: (line) => [skuAndName(line)] },
  { keyOf: ({ sku }) => sku, keysOf: ({ sku }) => (sku === "" ? [] : [sku]) },
  {
    keyOf: (certificate) => `${certificate.sku === "" ? "any" : "without SKU"}: ${nameOf(certificate)}`,
    keysOf: (line) => [`any: ${nameOf(line)}`, ...(line.sku === "" ? [`without SKU: ${nameOf(line)}`] : [])],
  },
];

/**
 * Assigns the certificates of an order to its lines. A certificate that the connector issued contains the id of its
 * line. A certificate from an imported file contains the position of a row instead, so it is matched by SKU, title and
 * variant, up to the quantity of each line.
 */
export function assignCertificates(
  lines: readonly OrderLine[],
  certificates: readonly OrderCertificate[],
): AssignedCertificates {
  const byLine = new Map<string, OrderCertificate[]>(lines.map(({ id }) => [id, []]));
  const unnamed: OrderCertificate[] = [];
  for (const certificate of certificates.toSorted(byKey)) (byLine.get(certificate.line) ?? unnamed).push(certificate);
  const leftover = matches.reduce<readonly OrderCertificate[]>((unassigned, { keyOf, keysOf }) => {
    // The lines of each key that may have room, in the order of the lines. A file can name one order 200,000 times, so
    // no certificate looks at all lines.
    const linesOf = new Map<string, OrderLine[]>();
    for (const line of lines.toReversed())
      for (const key of keysOf(line)) {
        const candidates = linesOf.get(key);
        if (candidates === undefined) linesOf.set(key, [line]);
        else candidates.push(line);
      }
    return unassigned.filter((certificate) => {
      const candidates = linesOf.get(keyOf(certificate)) ?? [];
      while (candidates.length > 0 && isFull(byLine, candidates.at(-1))) candidates.pop();
      const line = candidates.at(-1);
      if (line !== undefined) byLine.get(line.id)?.push(certificate);
      return line === undefined;
    });
  }, unnamed);
  return { byLine, leftover };
}

function isFull(byLine: ReadonlyMap<string, readonly unknown[]>, line: OrderLine | undefined): boolean {
  return line !== undefined && (byLine.get(line.id)?.length ?? 0) >= line.quantity;
}

function skuAndName(item: Item): string {
  return JSON.stringify([item.sku, nameOf(item)]);
}

function byKey(one: OrderCertificate, other: OrderCertificate): number {
  return (
    one.line.length - other.line.length ||
    (one.line < other.line ? -1 : 1) * Number(one.line !== other.line) ||
    one.unit - other.unit
  );
}
