import { portProblem } from "#shared/address-guard/port.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { lengthProblem } from "../values/text-rules.ts";

/**
 * Returns why a string is not a valid https:// URL (INTERFACE.md §8), or undefined for a valid one.
 */
export function httpsUrlProblem(text: string): Reason | undefined {
  // Checked before parsing: the URL parser silently removes some of these characters.
  if (/[\s\p{Cc}]/u.test(text)) return reason("url_has_space");
  const length = lengthProblem(text, textLimits.url);
  if (length !== undefined) return length;
  if (!/^https:\/\//i.test(text)) return reason("url_not_https");
  const port = portProblem(text);
  if (port !== undefined) return port;
  if (!URL.canParse(text)) return reason("url_malformed");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return reason("url_has_credentials");
  if (text.includes("#")) return reason("url_has_fragment");
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
