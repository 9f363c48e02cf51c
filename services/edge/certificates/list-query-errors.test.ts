import { describe, expect, test } from "vitest";
import { parseListQuery } from "./list-query.ts";
import { refusalOf } from "./list-query-fixture.ts";

describe("parseListQuery", () => {
  test.each<[string, string]>([
    // unknown names: a misspelt filter must not return all certificates
    ["updated-since=2026-03-01T12:00:00Z", "updated-since"],
    ["updatedSince=2026-03-01T12:00:00Z", "updatedSince"],
    ["Email=a@b", "Email"],
    ["LIMIT=5", "LIMIT"],
    ["page=2", "page"],
    ["email[$ne]=x", "email[$ne]"],
    ["email%5B%24ne%5D=x", "email[$ne]"],
    ["status[]=active", "status[]"],
    ["__proto__=1", "__proto__"],
    ["constructor=1", "constructor"],
    ["toString", "toString"],
    ["%20limit=5", "?limit"],
    ["limit%00=5", "limit%00"],
    ["=5", "query"],
    ["=", "query"],
    ["limit=5&offset=1", "offset"],
    [`${"x".repeat(200)}=1`, "x".repeat(64)],
    [`${"x".repeat(63)}%F0%9F%8D%8B%F0%9F%8D%8B=1`, `${"x".repeat(63)}🍋`],
    // repeated
    ["limit=5&limit=5", "limit"],
    ["email=a@b&email=c@d", "email"],
    ["status=all&%73tatus=all", "status"],
    // empty
    ["email=", "email"],
    ["email", "email"],
    ["limit=&limit=5", "limit"],
    ["order=", "order"],
    ["serial", "serial"],
    ["status=", "status"],
    ["updated_since=", "updated_since"],
    ["cursor=", "cursor"],
    // encoding
    ["email=%", "email"],
    ["email=%4", "email"],
    ["email=%zz@b", "email"],
    ["email=%C3%28@b", "email"],
    ["email=%FF@b", "email"],
    ["email=%C0%80@b", "email"],
    ["email=%ED%A0%80@b", "email"],
    ["email=a%00@b", "email"],
    ["email=a%0A@b", "email"],
    ["email=a%C2%85@b", "email"],
    ["order=%23a%7F", "order"],
    ["cursor=%00", "cursor"],
    ["%zz=1", "%zz"],
    ["%C3=1", "%C3"],
    ["email=\u00c3\u00b6@b", "email"],
    ["\u00e9=1", "é"],
    // email
    ["email=ada", "email"],
    ["email=@", "email"],
    ["email=@b", "email"],
    ["email=a@", "email"],
    ["email=a%20b@c", "email"],
    ["email=a@b%20", "email"],
    ["email=a@b%C2%A0", "email"],
    [`email=${"a".repeat(253)}@b`, "email"],
    // order
    ["order=%23", "order"],
    ["order=A1001", "order"],
    ["order=%201001", "order"],
    ["order=-1", "order"],
    ["order=1.0", "order"],
    ["order=1e3", "order"],
    ["order=%D9%A1", "order"],
    ["order=123456789012345678901", "order"],
    [`order=%23${"9".repeat(64)}`, "order"],
    // serial
    ["serial=A1", "serial"],
    ["serial=-1", "serial"],
    ["serial=+1", "serial"],
    ["serial=1.0", "serial"],
    ["serial=0x1", "serial"],
    ["serial=%D9%A3", "serial"],
    ["serial=000000000000000000001", "serial"],
    // status
    ["status=Active", "status"],
    ["status=active,revoked", "status"],
    ["status=0", "status"],
    ["status=any", "status"],
    // limit
    ["limit=0", "limit"],
    ["limit=00", "limit"],
    ["limit=101", "limit"],
    ["limit=1000", "limit"],
    ["limit=-1", "limit"],
    ["limit=+5", "limit"],
    ["limit=050", "limit"],
    ["limit=5.0", "limit"],
    ["limit=1e2", "limit"],
    ["limit=0x10", "limit"],
    ["limit=%D9%A3", "limit"],
    ["limit=%205", "limit"],
    ["limit=ten", "limit"],
    // updated_since
    ["updated_since=2026-03-01", "updated_since"],
    ["updated_since=2026-03-01T12:00:00", "updated_since"],
    ["updated_since=2026-03-01T12:00:00%2001:00", "updated_since"],
    ["updated_since=2026-02-30T12:00:00Z", "updated_since"],
    ["updated_since=2026-03-01T24:00:00Z", "updated_since"],
    ["updated_since=1767225600000", "updated_since"],
    // the query as a whole
    ["&".repeat(2_049), "query"],
    [`cursor=${"a".repeat(2_042)}`, "query"],
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

  test("explains how to encode # when an order name was truncated at it", () => {
    expect(refusalOf("order=").message).toContain("%23");
  });
});
