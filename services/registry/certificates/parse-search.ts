import { searchLimits } from "#shared/certificates/search-limits.ts";
import { emailKey } from "#shared/email/email-address.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import { isNumber, orderWord, wordsIn } from "./search-words.ts";

/** What a search requires of a word that is stored with a certificate. */
export type SearchedWord =
  | { readonly kind: "begins"; readonly text: string }
  | { readonly kind: "is"; readonly anyOf: readonly string[] };

/** A search for certificates; a certificate must match all of it. */
export interface CertificateSearch {
  /** At least one; the longest, which fewest certificates are likely to have, first. */
  readonly words: readonly SearchedWord[];
  /** Beginnings of the owner's e-mail address, in the form of {@link emailKey}. */
  readonly emailStarts: readonly string[];
}

/**
 * Parses the text of a search. Each of its words must be the beginning of a word that the certificate has, except
 * numbers, which must be whole. `#1042` matches only the order; `ada@exa` only an address that begins like this.
 *
 * @returns undefined if the text has no letter and no number: no certificate matches it
 * @throws ServiceError `bad_request` naming `search` if the text is too long
 */
export function parseSearch(text: string): CertificateSearch | undefined {
  const { charactersMax, wordsMax } = searchLimits;
  if (text.length > charactersMax) throw badRequest("search", `must have at most ${charactersMax} characters`);
  const parts = text.split(/\s+/).map((part) => part.replaceAll(/^[<("'[]+|[>)"',;\]]+$/g, ""));
  const words = parts.flatMap(searchedWords).slice(0, wordsMax);
  if (words.length === 0) return undefined;
  return {
    words: words.toSorted((one, other) => lengthOf(other) - lengthOf(one)),
    emailStarts: parts.flatMap(emailStart),
  };
}

function searchedWords(part: string): SearchedWord[] {
  if (part.startsWith("#")) {
    const whole = orderWord(part);
    if (whole === undefined) return [];
    return [/\d$/.test(whole) ? { kind: "is", anyOf: [whole] } : { kind: "begins", text: whole }];
  }
  const text = part.slice(0, emailEnd(part) ?? part.length);
  return wordsIn(text, "search").map((word) =>
    isNumber(word) ? { kind: "is", anyOf: [word, `#${word}`] } : { kind: "begins", text: word },
  );
}

function emailStart(part: string): string[] {
  return emailEnd(part) === undefined ? [] : [emailKey(part)];
}

/** Returns where the local part of an e-mail address ends; undefined if the text does not begin like an address. */
function emailEnd(part: string): number | undefined {
  const end = part.lastIndexOf("@");
  return end > 0 && !part.startsWith("#") ? end : undefined;
}

function lengthOf(word: SearchedWord): number {
  return word.kind === "begins" ? word.text.length : (word.anyOf[0]?.length ?? 0);
}
