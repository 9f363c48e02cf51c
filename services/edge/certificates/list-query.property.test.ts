import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { serviceErrorOf } from "../testing/service-error-of.ts";
import { CursorCodec } from "./cursor.ts";
import { type ListFilters, requireSameFilters } from "./list-filters.ts";
import { type ParameterName, parameterNames, parseListQuery } from "./list-query.ts";
import { statusNames } from "./query-values.ts";

const refusalOf = (rawQuery: string) => serviceErrorOf(() => parseListQuery(rawQuery));
const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 20 });
const noControl = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => !/\p{Cc}/u.test(text));
const since = fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true });

const values: Readonly<Record<ParameterName, fc.Arbitrary<string>>> = {
  email: fc.emailAddress(),
  order: fc.oneof(
    digits,
    noControl.map((text) => `#${text}`),
  ),
  serial: digits,
  status: fc.constantFrom(...statusNames),
  updated_since: since.map((date) => date.toISOString()),
  limit: fc.integer({ min: 1, max: 100 }).map(String),
  cursor: fc.base64String({ minLength: 4, maxLength: 40 }).map((text) => text.replaceAll("=", "")),
};

type Pair = readonly [name: string, value: string];

const pair = fc.constantFrom(...parameterNames).chain((name) => values[name].map((value): Pair => [name, value]));
const validPairs = fc.uniqueArray(pair, { selector: ([name]) => name, maxLength: parameterNames.length });

const write = (pairs: readonly Pair[]) =>
  pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");

/** Encodes every byte as %XX, with lower-case or upper-case hex digits. */
function encodeAllBytes(text: string, lowerCase: boolean): string {
  const encoded = Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  return lowerCase ? encoded : encoded.toUpperCase();
}

/** Writes the pairs as a query, with a raw pair inserted at `position`. */
function withPair(pairs: readonly Pair[], raw: string, position: number): string {
  const raws = pairs.map((one) => write([one]));
  raws.splice(position % (raws.length + 1), 0, raw);
  return raws.join("&");
}

describe("a valid query", () => {
  test("has the same meaning with its parameters in any order and every byte percent-encoded", () => {
    const shuffled = validPairs.chain((pairs) =>
      fc.tuple(fc.constant(pairs), fc.shuffledSubarray(pairs, { minLength: pairs.length }), fc.boolean()),
    );
    fc.assert(
      fc.property(shuffled, ([pairs, others, lowerCase]) => {
        const other = others.map(
          ([name, value]) => `${encodeAllBytes(name, lowerCase)}=${encodeAllBytes(value, lowerCase)}`,
        );
        fc.pre(other.join("&").length <= 2_048);
        expect(parseListQuery(other.join("&"))).toEqual(parseListQuery(write(pairs)));
      }),
    );
  });

  test("is rejected if an unknown parameter is added", () => {
    const variants = (name: string) => {
      const suffixed = ["s", "[]", "[$ne]", ".x", "\u200b"].map((suffix) => name + suffix);
      return fc.constantFrom(name.slice(1), name.toUpperCase(), ` ${name}`, ...suffixed);
    };
    const unknown = fc.oneof(
      fc.constantFrom(...parameterNames).chain(variants),
      noControl,
      fc.constantFrom("__proto__", "constructor", "hasOwnProperty", "$where"),
    );
    const known: readonly string[] = parameterNames;
    fc.assert(
      fc.property(validPairs, unknown, fc.nat(), (pairs, name, position) => {
        fc.pre(!known.includes(name));
        const query = withPair(pairs, `${encodeURIComponent(name)}=1`, position);
        expect(refusalOf(query).code).toBe("bad_request");
      }),
      { numRuns: 1_000 },
    );
  });

  test("is rejected if a parameter is repeated, with the same value or a different one", () => {
    const repeated = validPairs
      .filter((pairs) => pairs.length > 0)
      .chain((pairs) => fc.tuple(fc.constant(pairs), fc.constantFrom(...pairs), pair, fc.nat()));
    fc.assert(
      fc.property(repeated, ([pairs, [name, value], [, other], position]) => {
        for (const again of [value, other])
          expect(refusalOf(withPair(pairs, write([[name, again]]), position)).field).toBe(name);
      }),
    );
  });

  test("is rejected if the value of a parameter is removed", () => {
    const emptied = validPairs
      .filter((pairs) => pairs.length > 0)
      .chain((pairs) => fc.tuple(fc.constant(pairs), fc.nat({ max: pairs.length - 1 })));
    fc.assert(
      fc.property(emptied, ([pairs, at]) => {
        const empty = pairs.map(([name, value], index): Pair => [name, index === at ? "" : value]);
        expect(refusalOf(write(empty)).field).toBe(pairs[at]?.[0]);
      }),
    );
  });
});

describe("a cursor", () => {
  const codec = new CursorCodec([Buffer.alloc(32, 7)]);
  const filters = validPairs.map((pairs) => parseListQuery(write(pairs)).filters);
  const comparable = ({ email, ...others }: ListFilters) =>
    JSON.stringify([email?.normalize("NFC").toLowerCase(), Object.entries(others).sort()]);

  test("carries the filters of any query, and cannot be combined with filters of a different meaning", () => {
    fc.assert(
      fc.property(filters, filters, (one, other) => {
        const content = { storeId: "sto_1", positionMs: 0, filters: one, epoch: "0" };
        const decoded = codec.decode(codec.encode(content));
        expect(decoded).toEqual(content);
        requireSameFilters(one, decoded.filters);
        if (comparable(one) === comparable(other)) return;
        expect(serviceErrorOf(() => requireSameFilters(other, decoded.filters)).code).toBe("bad_request");
      }),
      { numRuns: 1_000 },
    );
  });
});
