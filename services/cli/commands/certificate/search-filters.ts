import { isEmailAddress } from "#shared/email/email-address.ts";
import type { CertificateFilters } from "../../registry-client/list-certificates.ts";

/**
 * Returns the filters to search with, one for each meaning of the text: an e-mail address, an order name, or a number,
 * which can be a serial number, an order id or the number in an order name; any other text is words to search for.
 * Returns `id` for a certificate's id.
 */
export function searchFilters(text: string): CertificateFilters[] | "id" {
  if (text.startsWith("crt_")) return "id";
  if (text.startsWith("#")) return [{ order: { case: "orderName", value: text } }];
  if (isEmailAddress(text)) return [{ email: text }];
  if (!/^\d+$/.test(text)) return [{ search: text }];
  return [
    { serial: text },
    { order: { case: "orderName", value: `#${text}` } },
    { order: { case: "orderId", value: text } },
  ];
}
