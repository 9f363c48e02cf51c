import type { CertificateFilters } from "../registry-client/list-certificates.ts";

/**
 * Returns the filters that find a text: an e-mail address, an order name, or a number, which can be a serial number, an
 * order id or the number in an order name.
 *
 * @returns undefined for any other text, which can only be an id
 */
export function searchFilters(text: string): CertificateFilters[] | undefined {
  if (text.startsWith("#")) return [{ order: { case: "orderName", value: text } }];
  if (text.includes("@")) return [{ email: text }];
  if (!/^\d+$/.test(text)) return undefined;
  return [
    { serial: text },
    { order: { case: "orderName", value: `#${text}` } },
    { order: { case: "orderId", value: text } },
  ];
}
