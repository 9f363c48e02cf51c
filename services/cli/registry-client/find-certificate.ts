import type { JsonObject } from "@bufbuild/protobuf";
import { z } from "zod";
import { publicCertificateSchema } from "#shared/certificates/public-certificate.ts";
import { printable } from "#shared/text/printable.ts";
import { UsageError } from "../output/usage-error.ts";
import type { StoreCalls } from "./operator-client.ts";

const shown = {
  id: true,
  serial: true,
  owner: true,
  product: true,
  order: true,
  updatedAt: true,
  verifyUrl: true,
} as const;
// A newer registry may have other states.
const shownFields = publicCertificateSchema.pick(shown).extend({ status: z.string() });

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
export function productText({ title, variant }: Pick<FoundCertificate["product"], "title" | "variant">): string {
  return printable(variant === "" ? title : `${title}, ${variant}`);
}
