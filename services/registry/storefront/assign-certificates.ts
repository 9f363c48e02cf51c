import type { Status } from "../certificates/certificate.ts";
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
export interface AssignedCertificates {
  readonly byLine: ReadonlyMap<string, readonly OrderCertificate[]>;
  readonly leftover: readonly OrderCertificate[];
}

type Match = (certificate: OrderCertificate, line: OrderLine) => boolean;

// Ordered from the most reliable match to the least. An imported certificate's title may come from the catalogue and
// then differ from the line's title, so a match by name alone counts only if the certificate or the line has no SKU.
const matches: readonly Match[] = [
  (certificate, line) => certificate.sku === line.sku && nameOf(certificate) === nameOf(line),
  (certificate, line) => certificate.sku !== "" && certificate.sku === line.sku,
  (certificate, line) => isSkuUnknown(certificate, line) && nameOf(certificate) === nameOf(line),
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
  const leftover = matches.reduce<readonly OrderCertificate[]>(
    (unassigned, match) =>
      unassigned.filter((certificate) => {
        const line = lines.find((one) => match(certificate, one) && countOf(byLine, one) < one.quantity);
        if (line !== undefined) byLine.get(line.id)?.push(certificate);
        return line === undefined;
      }),
    unnamed,
  );
  return { byLine, leftover };
}

function countOf(byLine: ReadonlyMap<string, readonly unknown[]>, { id }: OrderLine): number {
  return byLine.get(id)?.length ?? 0;
}

function isSkuUnknown(certificate: OrderCertificate, line: OrderLine): boolean {
  return certificate.sku === "" || line.sku === "";
}

function nameOf({ title, variant }: Pick<OrderLine, "title" | "variant">): string {
  return variant === "" ? title : `${title} - ${variant}`;
}

function byKey(one: OrderCertificate, other: OrderCertificate): number {
  return (
    one.line.length - other.line.length ||
    (one.line < other.line ? -1 : 1) * Number(one.line !== other.line) ||
    one.unit - other.unit
  );
}
