import type { JsonObject } from "@bufbuild/protobuf";
import { z } from "zod";
import { printable } from "#shared/text/printable.ts";
import { UsageError } from "../output/usage-error.ts";
import type { StoreCalls } from "./operator-client.ts";

const shownFields = z.object({
  id: z.string(),
  serial: z.string(),
  status: z.string(),
  owner: z.object({ name: z.string(), email: z.string() }),
  product: z.object({ title: z.string(), variant: z.string() }),
  order: z.object({ id: z.string().nullable(), name: z.string().nullable() }),
  updatedAt: z.string(),
  verifyUrl: z.string(),
});

/** Prefix of the ids of samples, which are not certificates. */
export const sampleIdPrefix = "smp_";

/** A certificate as certctl shows it. */
export interface FoundCertificate extends z.output<typeof shownFields> {
  /** The complete public JSON (INTERFACE.md §2.1). */
  readonly json: JsonObject;
}

/**
 * Finds a certificate of a store.
 *
 * @param selector id, or serial number with or without leading zeros
 * @throws ConnectError `not_found`; UsageError for the id of a sample
 */
export async function findCertificate(store: StoreCalls, selector: string): Promise<FoundCertificate> {
  if (selector.startsWith(sampleIdPrefix))
    throw new UsageError(`${selector} is a sample. This command works only with certificates.`);
  const by = /^\d+$/.test(selector)
    ? ({ case: "serial", value: selector } as const)
    : ({ case: "certificateId", value: selector } as const);
  const { certificate } = await store.inspection.getCertificate({ by });
  return parseCertificate(certificate);
}

/** Parses the certificate of a response. @throws ZodError if a shown field is missing or has another type */
export function parseCertificate(json: JsonObject | undefined): FoundCertificate {
  return { ...shownFields.parse(json), json: json ?? {} };
}

/** Formats a certificate in one line: serial number, id, status, owner. */
export function certificateLine({ serial, id, status, owner }: FoundCertificate): string {
  return printable(`${serial}  ${id}  ${status}  ${owner.name} <${owner.email}>`);
}

/** Formats a product: its title and, if it has one, its variant. */
export function productText({ title, variant }: FoundCertificate["product"]): string {
  return printable(variant === "" ? title : `${title}, ${variant}`);
}
