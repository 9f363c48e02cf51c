import { writeFileSync } from "node:fs";
import { inventOrders } from "./demo-orders.ts";
import { EXPORT_LAYOUT, layOut, recordText } from "./export-layout.ts";
import { orderRows } from "./order-rows.ts";
import { type FileRow, QUIRKS } from "./quirks.ts";
import { seededRandom } from "./seeded-random.ts";

// Writes orders_export.csv, the demo store's order export, beside this file: `node make-orders-export.ts`. The same
// code writes the same file; a test compares it with the one that is committed.

const ORDERS = 450;
const SEED = 20_240_501;

/** Where the export is. */
export const ORDERS_EXPORT = new URL("./orders_export.csv", import.meta.url);

/** The demo store's order export: CSV, UTF-8 with a byte order mark, CRLF. All people in it are invented. */
export function ordersExport(): string {
  const orders = inventOrders(ORDERS, seededRandom(SEED), (index) => {
    const quirk = QUIRKS.get(index);
    return { itemsMin: quirk?.itemsMin ?? 1, plain: quirk !== undefined };
  });
  const rows = orders.flatMap((order) => {
    const asUsual = orderRows(order).map((row): FileRow => ({ row, at: order.index }));
    return QUIRKS.get(order.index)?.apply(asUsual) ?? asUsual;
  });
  const records = rows.toSorted((a, b) => a.at - b.at).map(fileRecord);
  return `\ufeff${[recordText(EXPORT_LAYOUT), ...records].map((record) => `${record}\r\n`).join("")}`;
}

function fileRecord({ row, cellsMax, looseQuotes = false }: FileRow): string {
  const cells = layOut(row).slice(0, cellsMax);
  return looseQuotes
    ? recordText(cells.map((cell) => cell.replaceAll('"', "\u0000"))).replaceAll("\u0000", '"')
    : recordText(cells);
}

if (import.meta.main) writeFileSync(ORDERS_EXPORT, ordersExport());
