import { textLimits } from "#shared/text/text-limits.ts";
import { textFault } from "./cell-text.ts";

/**
 * Checks an order's name: `#`, then 1 to 63 characters other than control characters. Returns an error sentence, or
 * null for a valid name.
 */
export function orderNameFault(name: string): string | null {
  if (name === "") return "The order name is empty.";
  if (!name.startsWith("#")) return "The order name does not begin with #.";
  if (name === "#") return "The order name has no characters after #.";
  const fault = textFault(name, textLimits.orderName.max);
  return fault === null ? null : `The order name ${fault}.`;
}
