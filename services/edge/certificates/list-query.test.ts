import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { ListFilters } from "./list-filters.ts";
import { type ListQuery, parseListQuery } from "./list-query.ts";

const all: ListQuery = { filters: { status: StatusFilter.UNSPECIFIED }, hasFilters: false, limit: 50 };
const filtered = (filters: Partial<ListFilters>): ListQuery => ({
  ...all,
  filters: { ...all.filters, ...filters },
  hasFilters: true,
});
const named = (value: string) => filtered({ order: { kind: "name", value } });
const since = (iso: string) => filtered({ updatedSinceMs: Date.parse(iso) });

describe("parseListQuery", () => {
  test.each<[string, ListQuery]>([
    ["", all],
    ["&", all],
    ["&&&", all],
    ["limit=5&", { ...all, limit: 5 }],
    ["&limit=5&&status=active", { ...filtered({ status: StatusFilter.ACTIVE }), limit: 5 }],
    ["limit=1", { ...all, limit: 1 }],
    ["limit=9", { ...all, limit: 9 }],
    ["limit=10", { ...all, limit: 10 }],
    ["limit=99", { ...all, limit: 99 }],
    ["limit=100", { ...all, limit: 100 }],
    ["limit=%31%30", { ...all, limit: 10 }],
    ["%6Cimit=10", { ...all, limit: 10 }],
    ["status=active", filtered({ status: StatusFilter.ACTIVE })],
    ["status=revoked", filtered({ status: StatusFilter.REVOKED })],
    ["status=expired", filtered({ status: StatusFilter.EXPIRED })],
    ["status=all", filtered({})],
    ["email=a@b", filtered({ email: "a@b" })],
    ["email=a%40b.example", filtered({ email: "a@b.example" })],
    ["email=a+b@c.example", filtered({ email: "a+b@c.example" })],
    ["email=a%2Bb@c.example", filtered({ email: "a+b@c.example" })],
    ["email=Ada@Example.COM", filtered({ email: "Ada@Example.COM" })],
    ["email=j%C3%B6rg@b%C3%BCcher.example", filtered({ email: "jörg@bücher.example" })],
    ["email=a=b@c.example", filtered({ email: "a=b@c.example" })],
    ["email=a%26b@c.example", filtered({ email: "a&b@c.example" })],
    [`email=${"a".repeat(252)}@b`, filtered({ email: `${"a".repeat(252)}@b` })],
    ["order=%231001", named("#1001")],
    ["order=%23A-1%20EU", named("#A-1 EU")],
    ["order=%23%F0%9F%8D%8B", named("#🍋")],
    ["order=#1001", named("#1001")],
    ["order=%23%23", named("##")],
    [`order=%23${"9".repeat(63)}`, named(`#${"9".repeat(63)}`)],
    [`order=%23${"%F0%9F%8D%8B".repeat(63)}`, named(`#${"🍋".repeat(63)}`)],
    ["order=1001", filtered({ order: { kind: "id", value: "1001" } })],
    ["order=0001001", filtered({ order: { kind: "id", value: "0001001" } })],
    ["order=12345678901234567890", filtered({ order: { kind: "id", value: "12345678901234567890" } })],
    ["serial=42", filtered({ serial: "42" })],
    ["serial=000042", filtered({ serial: "42" })],
    ["serial=0", filtered({ serial: "0" })],
    ["serial=000", filtered({ serial: "0" })],
    ["serial=00000000000000000001", filtered({ serial: "1" })],
    ["updated_since=2026-03-01T12:00:00.123Z", since("2026-03-01T12:00:00.123Z")],
    ["updated_since=2026-03-01T12:00:00+01:00", since("2026-03-01T11:00:00Z")],
    ["updated_since=2026-03-01T12:00:00%2B01:00", since("2026-03-01T11:00:00Z")],
    ["updated_since=2026-03-01T12%3A00%3A00-01%3a00", since("2026-03-01T13:00:00Z")],
    ["updated_since=2026-03-01T12:00Z", since("2026-03-01T12:00:00Z")],
    ["updated_since=2026-03-01T12:00+0100", since("2026-03-01T11:00:00Z")],
    ["updated_since=1960-01-01T00:00:00Z", since("1960-01-01T00:00:00Z")],
    ["cursor=AQ", { ...all, cursor: "AQ" }],
    ["cursor=no%20check%20here", { ...all, cursor: "no check here" }],
    [
      "cursor=AQ&limit=3&updated_since=2026-03-01T12:00:00Z&status=revoked&serial=7&order=5&email=a@b",
      {
        filters: {
          email: "a@b",
          order: { kind: "id", value: "5" },
          serial: "7",
          status: StatusFilter.REVOKED,
          updatedSinceMs: Date.parse("2026-03-01T12:00:00Z"),
        },
        hasFilters: true,
        limit: 3,
        cursor: "AQ",
      },
    ],
  ])("parses %j", (rawQuery, expected) => {
    expect(parseListQuery(rawQuery)).toEqual(expected);
  });
});

describe("parseListQuery, given arbitrary text", () => {
  const names = ["email", "order", "serial", "status", "updated_since", "limit", "cursor"];
  const piece = fc.oneof(
    fc.constantFrom(...names, "=", "&", "%", "+", "%23", "%00", "%C3", "[$ne]", "__proto__", "@", "5", "all"),
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.string({ maxLength: 8 }),
  );
  const anyQuery = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

  test("parses a query or rejects it with a bad_request that names a field", () => {
    fc.assert(
      fc.property(anyQuery, (rawQuery) => {
        try {
          const { limit } = parseListQuery(rawQuery);
          expect(limit).toSatisfy((n: number) => Number.isInteger(n) && n >= 1 && n <= 100);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
          const { code, field, message } = error as ServiceError;
          expect(code).toBe("bad_request");
          expect(field).toBeTruthy();
          expect(message.startsWith(`${field} `)).toBe(true);
          expect(message).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  test("decodes a percent-encoded order name to the original name", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(name, (text) => {
        fc.pre(!/\p{Cc}/u.test(text) && Array.from(text).length < 64);
        const { filters } = parseListQuery(`order=${encodeURIComponent(`#${text}`)}`);
        expect(filters.order).toEqual({ kind: "name", value: `#${text}` });
      }),
    );
  });
});
