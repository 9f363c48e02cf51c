import type { ExportColumn } from "./export-columns.ts";

const columns = new Map<string, ExportColumn>([
  ["product.title", "Lineitem name"],
  ["product.variant", "Lineitem name"],
  ["product.sku", "Lineitem sku"],
  ["buyer.email", "Email"],
  ["buyer.name", "Billing Name"],
  ["order.id", "Id"],
  ["order.name", "Name"],
  ["order.unit", "Lineitem quantity"],
]);

/** Returns the export column that fills a field of an issue item (`buyer.email`), or null for no or an unknown field. */
export function columnOfField(field: string | undefined): ExportColumn | null {
  return columns.get(field ?? "") ?? null;
}
