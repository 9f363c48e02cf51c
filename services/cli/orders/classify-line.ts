import { onOneLine, textFault } from "./cell-text.ts";
import type { Fault } from "./classify-order.ts";
import type { ExportColumn } from "./export-columns.ts";
import { splitLineitemName } from "./lineitem-name.ts";

/** The line item's cells of a row, trimmed but for `name`; `sku` is empty where the file does not have the column. */
export interface LineCells {
  readonly quantity: string;
  readonly name: string;
  readonly sku: string;
}

/** What a row says about its line item. */
export type LineVerdict =
  | {
      readonly kind: "sold";
      readonly title: string;
      readonly variant: string;
      readonly sku: string;
      /** From 1 to 10,000. */
      readonly quantity: number;
    }
  | Fault;

const QUANTITY_MAX = 10_000;
const CHARACTERS_MAX = 255;

/** Judges a row's line item; the first fault counts. */
export function classifyLine(cells: LineCells): LineVerdict {
  const quantity = /^\d{1,5}$/.test(cells.quantity) ? Number(cells.quantity) : 0;
  if (quantity < 1 || quantity > QUANTITY_MAX) {
    return fault("Lineitem quantity", "The quantity is not a whole number from 1 to 10,000.");
  }
  const { title, variant } = splitLineitemName(onOneLine(cells.name));
  if (title === "") return fault("Lineitem name", "The line item has no title.");
  const wrongTitle = textFault(title, CHARACTERS_MAX);
  if (wrongTitle !== null) return fault("Lineitem name", `The product's title ${wrongTitle}.`);
  const wrongVariant = textFault(variant, CHARACTERS_MAX);
  if (wrongVariant !== null) return fault("Lineitem name", `The product's variant ${wrongVariant}.`);
  const wrongSku = textFault(cells.sku, CHARACTERS_MAX);
  if (wrongSku !== null) return fault("Lineitem sku", `The SKU ${wrongSku}.`);
  return { kind: "sold", title, variant, sku: cells.sku, quantity };
}

function fault(column: ExportColumn, message: string): Fault {
  return { kind: "unusable", column, message };
}
