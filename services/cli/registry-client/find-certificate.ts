import type { JsonObject } from "@bufbuild/protobuf";
import { z } from "zod";
import type { RegistryClient } from "./registry-client.ts";

const shownFields = z.object({
  id: z.string(),
  serial: z.string(),
  status: z.string(),
  owner: z.object({ name: z.string(), email: z.string() }),
});

/** A certificate as certctl shows it. */
export interface FoundCertificate extends z.output<typeof shownFields> {
  /** The complete public JSON (INTERFACE.md §2.1). */
  readonly json: JsonObject;
}

/**
 * Finds a certificate of a store.
 *
 * @param selector id, or serial number with or without leading zeros
 * @throws ConnectError `not_found`
 */
export async function findCertificate(
  client: RegistryClient,
  storeId: string,
  selector: string,
): Promise<FoundCertificate> {
  const by = /^\d+$/.test(selector)
    ? ({ case: "serial", value: selector } as const)
    : ({ case: "certificateId", value: selector } as const);
  const { certificate } = await client.inspection.getCertificate({ storeId, by });
  return parseCertificate(certificate);
}

/** Parses the certificate of a response. @throws ZodError if a shown field is missing */
export function parseCertificate(json: JsonObject | undefined): FoundCertificate {
  return { ...shownFields.parse(json), json: json ?? {} };
}

/** Formats a certificate in one line: serial number, id, status, owner. */
export function certificateLine({ serial, id, status, owner }: FoundCertificate): string {
  return `${serial}  ${id}  ${status}  ${owner.name} <${owner.email}>`;
}
