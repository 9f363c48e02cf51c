import { describe, expect, test } from "vitest";
import { serviceErrorOf } from "../testing/service-error-of.ts";
import { parseListQuery } from "./list-query.ts";

const refusalOf = (rawQuery: string) => serviceErrorOf(() => parseListQuery(rawQuery));

/** Invalid raw queries for each parameter, separated by whitespace; the error must name the parameter. */
const invalidValues = {
  email: `email= email email=a@b&email=c@d email=ada email=@ email=@b email=a@ email=a%20b@c email=a@b%20 email=a@b%C2%A0
    email=% email=%4 email=%zz@b email=%C3%28@b email=%FF@b email=%C0%80@b email=%ED%A0%80@b email=\u00c3\u00b6@b
    email=a%00@b email=a%0A@b email=a%C2%85@b email=${"a".repeat(253)}@b`,
  order: `order= order=%23 order=A1001 order=%201001 order=-1 order=1.0 order=1e3 order=%D9%A1 order=%23a%7F
    order=123456789012345678901 order=%23${"9".repeat(64)}`,
  serial: `serial serial=A1 serial=-1 serial=+1 serial=1.0 serial=0x1 serial=%D9%A3 serial=000000000000000000001`,
  status: `status= status=all&%73tatus=all status=Active status=active,revoked status=0 status=any`,
  limit: `limit=&limit=5 limit=5&limit=5 limit=0 limit=00 limit=101 limit=1000 limit=-1 limit=+5 limit=050 limit=5.0
    limit=1e2 limit=0x10 limit=%D9%A3 limit=%205 limit=ten`,
  updated_since: `updated_since= updated_since=2026-03-01 updated_since=2026-03-01T12:00:00
    updated_since=2026-03-01T12:00:00%2001:00 updated_since=2026-02-30T12:00:00Z
    updated_since=2026-03-01T24:00:00Z updated_since=0000-01-01T00:00:00Z updated_since=1767225600000`,
  cursor: "cursor= cursor=%00",
};

const rowsFor = (name: string, rawQueries: string) =>
  rawQueries.split(/\s+/).map((rawQuery): [string, string] => [rawQuery, name]);

describe("parseListQuery", () => {
  test.each([
    ...Object.entries(invalidValues).flatMap(([name, rawQueries]) => rowsFor(name, rawQueries)),
    // Unknown names: a misspelt filter must not return all certificates.
    ["updated-since=2026-03-01T12:00:00Z", "updated-since"],
    ["updatedSince=2026-03-01T12:00:00Z", "updatedSince"],
    ["Email=a@b", "Email"],
    ["LIMIT=5", "LIMIT"],
    ["page=2", "page"],
    ...rowsFor("email[$ne]", "email[$ne]=x email%5B%24ne%5D=x"),
    ["status[]=active", "status[]"],
    ["__proto__=1", "__proto__"],
    ["constructor=1", "constructor"],
    ["toString", "toString"],
    ["%20limit=5", "?limit"],
    ["limit%00=5", "limit%00"],
    ["limit=5&offset=1", "offset"],
    ["%zz=1", "%zz"],
    ["%C3=1", "%C3"],
    ["\u00e9=1", "é"],
    [`${"x".repeat(200)}=1`, "x".repeat(64)],
    [`${"x".repeat(63)}%F0%9F%8D%8B%F0%9F%8D%8B=1`, `${"x".repeat(63)}🍋`],
    // Errors in the query as a whole.
    ...rowsFor("query", `=5 = ${"&".repeat(2_049)} cursor=${"a".repeat(2_042)}`),
  ])("rejects %j, naming %j", (rawQuery, name) => {
    const refusal = refusalOf(rawQuery);
    expect(refusal.code).toBe("bad_request");
    expect(refusal.field).toBe(name);
    expect(refusal.message.startsWith(`${name} `)).toBe(true);
  });

  test("accepts a query of 2,048 bytes", () => {
    const cursor = "a".repeat(2_048 - "cursor=".length);
    expect(parseListQuery(`cursor=${cursor}`).cursor).toBe(cursor);
  });

  test("explains, in the error for an empty order, how to encode #", () => {
    expect(refusalOf("order=").message).toContain("%23");
  });
});
