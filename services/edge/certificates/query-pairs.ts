import { badRequest } from "#shared/errors/service-error.ts";
import { notEncoded } from "../http/query-refusals.ts";

const nameShownMax = 64;

/**
 * Splits a raw query at `&` and `=` and decodes it: percent-encoding only, so a `+` is a plus sign (no parameter's value
 * holds a space; e-mail addresses and time offsets hold pluses). Empty pairs, as in `a=1&&b=2`, are passed over.
 *
 * @param names the parameters there are; case-sensitive
 * @returns name → value, no value empty
 * @throws ServiceError bad_request naming a parameter that is unknown, repeated, empty or wrongly encoded
 */
export function parseQueryPairs<N extends string>(rawQuery: string, names: readonly N[]): Map<N, string> {
  const pairs = new Map<N, string>();
  for (const pair of rawQuery.split("&")) {
    if (pair === "") continue;
    const mark = pair.indexOf("=");
    const rawName = mark < 0 ? pair : pair.slice(0, mark);
    const name = knownName(decode(rawName, rawName), names);
    if (pairs.has(name)) throw badRequest(name, "is given more than once. Give it once.");
    const value = mark < 0 ? "" : decode(pair.slice(mark + 1), name);
    if (value === "") throw badRequest(name, emptyProblem(name));
    pairs.set(name, value);
  }
  return pairs;
}

function knownName<N extends string>(name: string, names: readonly N[]): N {
  const known = names.find((candidate) => candidate === name);
  if (known !== undefined) return known;
  if (name === "") throw badRequest("query", "has a value without a parameter's name.");
  throw badRequest(shown(name), `is not a parameter here. The parameters are ${names.join(", ")}.`);
}

function decode(raw: string, name: string): string {
  // Raw bytes above 0x7E would arrive here as Latin-1, that is, as other characters than the client meant.
  if (/[^\x21-\x7e]/.test(raw)) throw notEncoded(shown(name));
  let text: string;
  try {
    text = decodeURIComponent(raw);
  } catch {
    throw badRequest(
      shown(name),
      "has broken percent-encoding: UTF-8 bytes as %XX are needed, % itself is %25.",
    );
  }
  if (/\p{Cc}/u.test(text)) throw badRequest(shown(name), "holds a control character.");
  return text;
}

function emptyProblem(name: string): string {
  // Clients cut a URL at #, so that `order=#1001` arrives as `order=`.
  const hint = name === "order" ? " An order's name begins with #, which is written %23 in a URL." : "";
  return `has no value. Give it one or leave it out.${hint}`;
}

function shown(name: string): string {
  // By code points: a cut through a surrogate pair would be no text any more.
  return Array.from(name.replace(/[\p{C}\p{Z}]/gu, "?"))
    .slice(0, nameShownMax)
    .join("");
}
