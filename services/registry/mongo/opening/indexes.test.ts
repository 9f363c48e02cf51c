import { expect, test } from "vitest";
import { parseSearch } from "../../certificates/parse-search.ts";
import { feedQuery } from "../certificates/feed-query.ts";
import { indexes } from "./indexes.ts";

const end = new Date("2026-03-14T10:00:00Z");
const newestBefore = new Date("2026-11-28T10:00:00Z");
const search = parseSearch("vase 1042 ada@example") ?? { words: [], emailStarts: [] };

const begins = (text: string) => ({ $elemMatch: { $gte: text, $lt: `${text}\u{10ffff}` } });
const words = { $ifNull: ["$words", []] };
const hasOneOf = (...texts: string[]) => ({ $or: texts.map((text) => ({ $in: [{ $literal: text }, words] })) });
const hasBeginning = (text: string) => {
  const [from, to] = [{ $literal: text }, { $literal: `${text}\u{10ffff}` }];
  const begins = { $and: [{ $gte: ["$$word", from] }, { $lt: ["$$word", to] }] };
  return { $anyElementTrue: [{ $map: { input: words, as: "word", in: begins } }] };
};

// What `explain` shows on servers that execute it (test/integration/certificate-search.test.ts), read from the query.
test.each([
  ["words", { isByWord: true, end: undefined }, { $lt: newestBefore }],
  ["feed", { isByWord: false, end }, { $lt: newestBefore, $gte: end }],
])("a page that is read with the index %s is bounded by it", (name, how, updatedAt) => {
  const { filter, hint, sort, limit } = feedQuery("sto_1", { newestBefore }, 26, new Date(), {
    plan: { search, ...how },
  });
  expect({ filter, hint, sort, limit }).toEqual({
    filter: {
      store: "sto_1",
      updatedAt,
      words: begins("vase"),
      $expr: { $and: [hasOneOf("1042", "#1042"), hasBeginning("ada")] },
      $and: [{ ownerEmailKey: { $gte: "ada@example", $lt: "ada@example\u{10ffff}" } }],
    },
    hint: name,
    sort: { updatedAt: -1 },
    limit: 26,
  });
  const [, second] = Object.keys(indexes.certificates.find((index) => index.name === hint)?.key ?? {});
  expect(second).toBe(name === "words" ? "words" : "updatedAt");
});
