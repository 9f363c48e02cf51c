import { badRequest } from "#shared/errors/service-error.ts";
import { notPercentEncoded } from "../http/query-errors.ts";

const displayedNameMax = 64;

/**
 * Splits a raw query at `&` and `=` and percent-decodes it. A `+` remains a plus sign, because e-mail addresses and
 * time offsets contain plus signs. Skips empty pairs, as in `a=1&&b=2`.
 *
 * @param names the known parameters; case-sensitive
 * @returns the decoded values by name; every value has at least one character
 * @throws ServiceError bad_request naming a parameter that is unknown, repeated, empty or incorrectly encoded or that
 * contains a control character; naming `query` for a value without a parameter name
 */
export function parseQueryString<N extends string>(rawQuery: string, names: readonly N[]): Map<N, string> {
  const values = new Map<N, string>();
  for (const pair of rawQuery.split("&")) {
    if (pair === "") continue;
    const separator = pair.indexOf("=");
    const rawName = separator < 0 ? pair : pair.slice(0, separator);
    const name = knownName(decode(rawName, rawName), names);
    if (values.has(name)) throw badRequest(name, "is given more than once. Send it once.");
    const value = separator < 0 ? "" : decode(pair.slice(separator + 1), name);
    if (value === "") throw badRequest(name, emptyProblem(name));
    values.set(name, value);
  }
  return values;
}

function knownName<N extends string>(name: string, names: readonly N[]): N {
  const known = names.find((candidate) => candidate === name);
  if (known !== undefined) return known;
  if (name === "")
    throw badRequest("query", "contains a value without a parameter name. Write each parameter as name=value.");
  const remedy = names.length === 0 ? "This path has no parameters" : `Use one of ${names.join(", ")}`;
  throw badRequest(displayName(name), `is not a known parameter. ${remedy}.`);
}

function decode(raw: string, name: string): string {
  // Node decodes raw bytes above 0x7F as Latin-1, which would change the characters that the client sent.
  if (/[^\x21-\x7e]/.test(raw)) throw notPercentEncoded(displayName(name));
  let text: string;
  try {
    text = decodeURIComponent(raw);
  } catch {
    throw badRequest(
      displayName(name),
      "has invalid percent-encoding. Percent-encode it as UTF-8; a percent sign is %25.",
    );
  }
  if (/\p{Cc}/u.test(text)) throw badRequest(displayName(name), "contains a control character. Remove the character.");
  return text;
}

function emptyProblem(name: string): string {
  // Clients truncate a URL at #, so that `order=#1001` arrives as `order=`.
  const orderNote = name === "order" ? " An order name begins with #, written %23 in a URL." : "";
  return `is empty. Send a value or omit the parameter.${orderNote}`;
}

function displayName(name: string): string {
  // Slices by code points: half of a surrogate pair is not valid text.
  return Array.from(name.replace(/[\p{C}\p{Z}]/gu, "?"))
    .slice(0, displayedNameMax)
    .join("");
}
