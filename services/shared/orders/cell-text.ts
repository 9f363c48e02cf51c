import { type Reason, reason } from "../reasons/reason.ts";

/** Replaces each run of carriage returns, line feeds and tabs with one space. */
export function onOneLine(text: string): string {
  return text.replace(/[\r\n\t]+/g, " ");
}

/** The part of a row that a text is for. */
type CellPart = "product_title" | "product_variant" | "sku" | "buyer_name" | "order_name";

/**
 * Checks a string against the registry's rules: at most `charactersMax` characters (UTF-16 code units), no control
 * characters (U+0000–U+001F, U+007F–U+009F). An empty string is valid.
 *
 * @returns the fault, or null for a valid string
 */
export function textFault(part: CellPart, text: string, charactersMax: number): Reason | null {
  if (text.length > charactersMax) return reason("cell_too_long", { part, max: charactersMax });
  return /\p{Cc}/u.test(text) ? reason("cell_has_control_character", { part }) : null;
}
