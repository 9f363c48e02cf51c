import { portProblem } from "#shared/address-guard/port.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { lengthProblem } from "../values/text-rules.ts";

/**
 * Returns why a text is not a valid https:// URL (INTERFACE.md §8), as the end of a sentence; undefined if it is valid.
 */
export function httpsUrlProblem(text: string): string | undefined {
  // Checked before parsing: the URL parser silently removes some of these characters.
  if (/[\s\p{Cc}]/u.test(text)) return "contains a space or a control character";
  const length = lengthProblem(text, textLimits.url);
  if (length !== undefined) return length;
  if (!/^https:\/\//i.test(text)) return "does not begin with https://";
  const port = portProblem(text);
  if (port !== undefined) return `names ${port}`;
  if (!URL.canParse(text)) return "is not a URL";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "contains a user name or password";
  if (text.includes("#")) return "contains a fragment (#…)";
  return undefined;
}

/**
 * Returns a valid URL as the URL Standard serializes it, without trailing slashes: scheme and host in lower case, no
 * default port, no `..`, and percent-encoding of double quotes, angle brackets and characters outside ASCII.
 */
export function normalBaseUrl(url: string): string {
  return new URL(url).href.replace(/\/+$/, "");
}
