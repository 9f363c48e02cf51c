import { UsageError } from "../../output/usage-error.ts";
import type { CertificateFilters } from "../../registry-client/list-certificates.ts";

/**
 * Returns the filters to search with, one for each meaning of the text: an e-mail address, an order name, or a number,
 * which can be a serial number, an order id or the number in an order name. Returns `id` for a certificate's id.
 *
 * @throws Error if the text has none of these meanings
 */
export function searchFilters(text: string): CertificateFilters[] | "id" {
  if (text.startsWith("crt_")) return "id";
  if (text.startsWith("#")) return [{ order: { case: "orderName", value: text } }];
  if (text.includes("@")) return [{ email: text }];
  if (!/^\d+$/.test(text))
    throw new UsageError(
      `"${text}" is not an e-mail address, an order name that begins with #, a number, or an id (crt_…, smp_…).`,
    );
  return [
    { serial: text },
    { order: { case: "orderName", value: `#${text}` } },
    { order: { case: "orderId", value: text } },
  ];
}
