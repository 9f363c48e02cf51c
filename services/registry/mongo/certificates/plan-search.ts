import type { Filter, FindCursor } from "mongodb";
import { steadyClock } from "#shared/time/clock.ts";
import type { FeedQuery, ListFilter, SearchPlan } from "../../certificates/list-certificates.ts";
import type { CertificateSearch, SearchedWord } from "../../certificates/parse-search.ts";
import type { Collections } from "../documents/collections.ts";
import type { CertificateDocument } from "../documents/documents.ts";
import { atMost } from "../driver/time-limits.ts";
import { isOutOfTime } from "../driver/transient-error.ts";

/** Bounds of what a page of a search reads, for tests on databases of few certificates. */
interface SearchBounds {
  /** Maximum number of certificates with a word that are read through the index of words. */
  readonly withWordMax: number;
  /** Maximum number of certificates that are read in the list's order if more have each word. */
  readonly scannedMax: number;
}

export const searchBounds: SearchBounds = { withWordMax: 5_000, scannedMax: 10_000 };

// Of the longest words of a search; each count reads at most `withWordMax` index keys.
const countedWordsMax = 4;
// If a word is this rare, another one would not make the page cheaper.
const rareCount = 100;
// What counting may take of the time for a page, in milliseconds. MongoDB counts in a few.
const countingMs = 1_000;
const isLater = "\u{10ffff}";

/**
 * Decides how a page of a search is read. If few certificates have one of its words, the page is complete: all of them
 * are read and sorted. Otherwise, matches are frequent, and certificates are read in the list's order until the page is
 * full or the bound is reached; then the next page continues there. So it does if the words cannot be counted in time.
 */
export async function planSearch(
  certificates: Collections["certificates"],
  storeId: string,
  search: CertificateSearch,
  { filter, remainingMs }: Pick<FeedQuery, "filter" | "remainingMs">,
  { withWordMax, scannedMax }: SearchBounds = searchBounds,
): Promise<SearchPlan> {
  const rarest = await rareWord(certificates, storeId, search, remainingMs, withWordMax);
  if (rarest !== undefined) {
    const others = search.words.filter((other) => other !== rarest);
    return { search: { ...search, words: [rarest, ...others] }, isByWord: true, end: undefined };
  }
  const last = await certificates.findOne(
    { store: storeId, ...updatedBetween(filter, undefined) },
    {
      ...atMost(remainingMs()),
      projection: { _id: 0, updatedAt: 1 },
      hint: "feed",
      sort: { updatedAt: filter.newestBefore === undefined ? 1 : -1 },
      skip: scannedMax - 1,
    },
  );
  return { search, isByWord: false, end: last?.updatedAt };
}

/** Returns a word of a search that at most `countMax` certificates have; undefined if none is found in time. */
async function rareWord(
  certificates: Collections["certificates"],
  store: string,
  search: CertificateSearch,
  remainingMs: () => number,
  countMax: number,
): Promise<SearchedWord | undefined> {
  const deadline = steadyClock.now() + countingMs;
  const words = search.words.slice(0, countedWordsMax);
  try {
    // Looks for a rare word first, so that a word that thousands have is read only if there is no other.
    for (const skip of [Math.min(rareCount, countMax), countMax])
      for (const word of words) {
        const leftMs = Math.max(1, Math.ceil(deadline - steadyClock.now()));
        const cursor = wordCursor(certificates, store, word, skip);
        const next = await cursor.maxTimeMS(Math.min(leftMs, remainingMs())).next();
        if (next === null) return word;
      }
  } catch (error) {
    if (!isOutOfTime(error)) throw error;
  }
  return undefined;
}

/**
 * Returns a cursor that skips certificates with a word in the index of words, and finds one more. To skip many, a
 * beginning is a regular expression, because MongoDB reads each document for a range of an array's items.
 */
export function wordCursor(
  certificates: Collections["certificates"],
  store: string,
  word: SearchedWord,
  skip: number,
): FindCursor<Pick<CertificateDocument, "store">> {
  const begins = (text: string) => ({ $regex: `^${text.replaceAll(/[^\p{L}\p{N}\p{M}#]/gu, "\\$&")}` });
  const words = word.kind === "is" || skip <= rareCount ? condition(word) : begins(word.text);
  return certificates
    .find({ store, words }, { hint: "words", skip, limit: 1 })
    .project<Pick<CertificateDocument, "store">>({ _id: 0, store: 1 });
}

/** Returns the filter for a page's position. @param end the last certificate to read; undefined for no such bound */
export function updatedBetween(
  { changedAfter, newestBefore }: Pick<ListFilter, "changedAfter" | "newestBefore">,
  end: Date | undefined,
): Filter<CertificateDocument> {
  const isNewestFirst = newestBefore !== undefined;
  const updatedAt = {
    ...(changedAfter && { $gt: changedAfter }),
    ...(newestBefore && { $lt: newestBefore }),
    ...(end && { [isNewestFirst ? "$gte" : "$lte"]: end }),
  };
  return Object.keys(updatedAt).length === 0 ? {} : { updatedAt };
}

/**
 * Returns the filter for certificates that match a search. An index of an array takes its bounds from one condition
 * only: from the first word, because no index serves the expressions for the others.
 */
export function searchFilter({
  words: [first, ...others],
  emailStarts,
}: CertificateSearch): Filter<CertificateDocument> {
  return {
    ...(first && { words: condition(first) }),
    ...(others.length > 0 && { $expr: { $and: others.map(expression) } }),
    ...(emailStarts.length > 0 && {
      $and: emailStarts.map((start) => ({ ownerEmailKey: { $gte: start, $lt: start + isLater } })),
    }),
  };
}

// A range rather than a regular expression, which a stand-in for MongoDB compiles again for each document.
function condition(word: SearchedWord) {
  if (word.kind === "is") return { $in: [...word.anyOf] };
  return { $elemMatch: { $gte: word.text, $lt: word.text + isLater } };
}

// Absent until a migration has added them.
const words = { $ifNull: ["$words", []] };

/** Returns the {@link condition} as an expression. */
function expression(word: SearchedWord) {
  if (word.kind === "is") return { $or: word.anyOf.map((text) => ({ $in: [{ $literal: text }, words] })) };
  const [start, end] = [word.text, word.text + isLater].map((text) => ({ $literal: text }));
  const begins = { $and: [{ $gte: ["$$word", start] }, { $lt: ["$$word", end] }] };
  return { $anyElementTrue: [{ $map: { input: words, as: "word", in: begins } }] };
}
