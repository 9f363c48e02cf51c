import type { CertificateLookup } from "../certificates/certificate-lookup.ts";
import { formatSerial } from "../certificates/serial.ts";

/** Adds what lists show of each entry's certificate, unless the store does not have it. */
export async function withLabels<Entry extends { readonly certificateId?: string }>(
  lookup: Pick<CertificateLookup, "labelsOf">,
  storeId: string,
  entries: readonly Entry[],
) {
  const labels = await lookup.labelsOf(
    storeId,
    entries.map(({ certificateId = "" }) => certificateId),
  );
  return entries.map((entry) => {
    const label = labels.get(entry.certificateId ?? "");
    if (label === undefined) return entry;
    return { ...entry, certificate: { serial: formatSerial(label.serial), productTitle: label.productTitle } };
  });
}
