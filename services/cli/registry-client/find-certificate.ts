import type { JsonObject } from "@bufbuild/protobuf";
import { z } from "zod";
import type { RegistryClient } from "./registry-client.ts";

const known = z.object({
  id: z.string(),
  serial: z.string(),
  status: z.string(),
  owner: z.object({ name: z.string(), email: z.string() }),
});

/** What certctl shows of a certificate in one line. */
export interface FoundCertificate extends z.output<typeof known> {
  /** Its whole public JSON (INTERFACE.md §2.1). */
  readonly json: JsonObject;
}

/**
 * Finds the certificate that a command is about.
 *
 * @param selector its id, or its serial number: digits, leading zeros do not matter
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
  return certificateIn(certificate);
}

/** The certificate of a reply. */
export function certificateIn(json: JsonObject | undefined): FoundCertificate {
  return { ...known.parse(json), json: json ?? {} };
}

/** A certificate in one line: number, id, status, owner. */
export function lineOf({ serial, id, status, owner }: FoundCertificate): string {
  return `${serial}  ${id}  ${status}  ${owner.name} <${owner.email}>`;
}
