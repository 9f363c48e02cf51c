import { portProblem } from "#shared/address-guard/port.ts";

const lengthMax = 2_048;

/** What is wrong with an https:// URL (INTERFACE.md §8), as the end of a sentence, or undefined. */
export function httpsUrlProblem(text: string): string | undefined {
  // The URL parser drops some of these without a word.
  if (/[\s\p{Cc}]/u.test(text)) return "holds a space or a control character";
  if (text.length > lengthMax) return `is longer than ${lengthMax} characters`;
  if (!/^https:\/\//i.test(text)) return "does not begin with https://";
  const port = portProblem(text);
  if (port !== undefined) return `names ${port}`;
  if (!URL.canParse(text)) return "is not a URL";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "holds a user name or password";
  if (text.includes("#")) return "holds a fragment (#…)";
  return undefined;
}
