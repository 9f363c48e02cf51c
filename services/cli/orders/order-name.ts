import { textFault } from "./cell-text.ts";

const CHARACTERS_MAX = 64;

/** What is wrong with an order's name, as a sentence; null when it is fine: `#` and 1 to 63 characters. */
export function orderNameFault(name: string): string | null {
  if (name === "") return "The order's name is empty.";
  if (!name.startsWith("#")) return "The order's name does not begin with #.";
  if (name === "#") return "The order's name has nothing after its #.";
  const wrong = textFault(name, CHARACTERS_MAX);
  return wrong === null ? null : `The order's name ${wrong}.`;
}
