const ADDRESS = [
  "Name",
  "Street",
  "Address1",
  "Address2",
  "Company",
  "City",
  "Zip",
  "Province",
  "Country",
  "Phone",
];

/** The columns of the platform's order export, in its order. */
export const EXPORT_LAYOUT: readonly string[] = [
  "Name",
  "Email",
  "Financial Status",
  "Paid at",
  "Fulfillment Status",
  "Fulfilled at",
  "Accepts Marketing",
  "Currency",
  "Subtotal",
  "Shipping",
  "Taxes",
  "Total",
  "Discount Code",
  "Discount Amount",
  "Shipping Method",
  "Created at",
  "Lineitem quantity",
  "Lineitem name",
  "Lineitem price",
  "Lineitem compare at price",
  "Lineitem sku",
  "Lineitem requires shipping",
  "Lineitem taxable",
  "Lineitem fulfillment status",
  ...ADDRESS.map((part) => `Billing ${part}`),
  ...ADDRESS.map((part) => `Shipping ${part}`),
  "Notes",
  "Note Attributes",
  "Cancelled at",
  "Payment Method",
  "Payment Reference",
  "Refunded Amount",
  "Vendor",
  "Outstanding Balance",
  "Employee",
  "Location",
  "Device ID",
  "Id",
  "Tags",
  "Risk Level",
  "Source",
  "Lineitem discount",
  ...[1, 2, 3, 4, 5].flatMap((tax) => [`Tax ${tax} Name`, `Tax ${tax} Value`]),
  "Phone",
  "Receipt Number",
  "Duties",
  "Billing Province Name",
  "Shipping Province Name",
  "Payment ID",
  "Payment Terms Name",
  "Next Payment Due At",
  "Payment References",
];

/** The cells of a row by column; what is not there is empty. */
export type ExportRow = Readonly<Record<string, string>>;

/** A record's text without its line end; a cell is quoted where it must be. */
export function recordText(cells: readonly string[]): string {
  return cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",");
}

/** A row's cells in the layout's order. */
export function layOut(row: ExportRow): string[] {
  return EXPORT_LAYOUT.map((column) => row[column] ?? "");
}
