import type { Language } from "#shared/texts/languages.ts";
import { formatNumber } from "../../pages/format.ts";

/** Maximum number of storefront problems, data requests or reports in one response from the registry. */
export const listedMax = 100;

/** Formats the number of entries in such a response; `100+` if there may be more than it contains. */
export function listedCount(count: number, language: Language): string {
  const number = formatNumber(count, language);
  return count < listedMax ? number : `${number}+`;
}
