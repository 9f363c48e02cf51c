import type { ExportColumn } from "./export-columns.ts";

const COLUMNS = new Map<string, ExportColumn>([
  ["product.title", "Lineitem name"],
  ["product.variant", "Lineitem name"],
  ["product.sku", "Lineitem sku"],
  ["buyer.email", "Email"],
  ["buyer.name", "Billing Name"],
  ["order.id", "Id"],
  ["order.name", "Name"],
  ["order.unit", "Lineitem quantity"],
]);

/** The export's column that a field of an issue item (`buyer.email`) came from; null for none or an unknown one. */
export function columnOfField(field: string | undefined): ExportColumn | null {
  return COLUMNS.get(field ?? "") ?? null;
}
