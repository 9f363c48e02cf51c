import { textLimits } from "#shared/text/text-limits.ts";
import { reason } from "../reasons/reason.ts";
import { onOneLine, textFault } from "./cell-text.ts";
import { type Fault, fault } from "./classify-order.ts";

/** The line item cells of a row, trimmed except `name`. `sku` is the empty string if the file has no such column. */
export interface LineCells {
  readonly quantity: string;
  readonly name: string;
  readonly sku: string;
}

/** The line item of a row, or the reason why it is unusable. */
export type LineVerdict =
  | {
      readonly kind: "sold";
      readonly title: string;
      readonly variant: string;
      readonly sku: string;
      /** 1 to 10,000. */
      readonly quantity: number;
    }
  | Fault;

const quantityMax = 10_000;

/** Parses the line item of a row. Reports the first fault. */
export function classifyLine(cells: LineCells): LineVerdict {
  const quantity = /^\d{1,5}$/.test(cells.quantity) ? Number(cells.quantity) : 0;
  if (quantity < 1 || quantity > quantityMax) return fault("Lineitem quantity", reason("quantity_invalid"));
  const { title, variant } = splitLineitemName(onOneLine(cells.name));
  if (title === "") return fault("Lineitem name", reason("product_title_missing"));
  const titleFault = textFault("product_title", title, textLimits.productTitle.max);
  if (titleFault !== null) return fault("Lineitem name", titleFault);
  const variantFault = textFault("product_variant", variant, textLimits.productVariant.max);
  if (variantFault !== null) return fault("Lineitem name", variantFault);
  const skuFault = textFault("sku", cells.sku, textLimits.sku.max);
  if (skuFault !== null) return fault("Lineitem sku", skuFault);
  return { kind: "sold", title, variant, sku: cells.sku, quantity };
}

const separator = " - ";

/** Splits "Title - Variant" at the last " - " and trims both parts. Without a separator the name is the title. */
export function splitLineitemName(name: string) {
  const at = name.lastIndexOf(separator);
  if (at < 0) return { title: name.trim(), variant: "" };
  return { title: name.slice(0, at).trim(), variant: name.slice(at + separator.length).trim() };
}
