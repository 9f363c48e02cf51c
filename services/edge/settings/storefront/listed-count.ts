import { formatNumber } from "../../pages/messages/format.ts";
import type { Language } from "../../pages/messages/languages.ts";

/** Maximum number of problems, or of requests, in one response of the registry. */
export const listedMax = 100;

/** Formats the number of entries of such a list; `100+` for a list that may have more. */
export function listedCount(count: number, language: Language): string {
  const number = formatNumber(count, language);
  return count < listedMax ? number : `${number}+`;
}
