import { portProblem } from "#shared/address-guard/port.ts";

const maxLength = 2_048;

/**
 * Returns why a text is not a valid https:// URL (INTERFACE.md §8), as the end of a sentence; undefined if it is valid.
 */
export function httpsUrlProblem(text: string): string | undefined {
  // Checked before parsing: the URL parser silently removes some of these characters.
  if (/[\s\p{Cc}]/u.test(text)) return "contains a space or a control character";
  if (text.length > maxLength) return `is longer than ${maxLength} characters`;
  if (!/^https:\/\//i.test(text)) return "does not begin with https://";
  const port = portProblem(text);
  if (port !== undefined) return `names ${port}`;
  if (!URL.canParse(text)) return "is not a URL";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "contains a user name or password";
  if (text.includes("#")) return "contains a fragment (#…)";
  return undefined;
}
