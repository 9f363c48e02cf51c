import { portProblem } from "#shared/address-guard/port.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { lengthProblem } from "../values/text-rules.ts";

/**
 * Returns why a string is not a valid https:// URL (INTERFACE.md §8), as a predicate such as `contains a space`;
 * undefined for a valid one.
 */
export function httpsUrlProblem(text: string): string | undefined {
  // Checked before parsing: the URL parser silently removes some of these characters.
  if (/[\s\p{Cc}]/u.test(text)) return "contains a space or a control character";
  const length = lengthProblem(text, textLimits.url);
  if (length !== undefined) return length;
  if (!/^https:\/\//i.test(text)) return "does not begin with https://";
  const port = portProblem(text);
  if (port !== undefined) return `uses ${port}`;
  if (!URL.canParse(text)) return "is not of the form https://host/path";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "contains a user name or password";
  if (text.includes("#")) return "contains a fragment (#…)";
  return undefined;
}

/**
 * Returns a valid URL as the URL Standard serializes it, but without trailing slashes. The scheme and the host are in
 * lower case, and an international host name is in Punycode. A default port is removed, and `..` segments are resolved.
 * In the path, non-ASCII characters and ASCII characters such as double quotes and angle brackets are percent-encoded.
 */
export function normalBaseUrl(url: string): string {
  return new URL(url).href.replace(/\/+$/, "");
}
