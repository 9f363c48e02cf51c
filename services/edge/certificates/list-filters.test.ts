import { describe, expect, test } from "vitest";
import { serviceErrorOf } from "../testing/service-error-of.ts";
import { requireSameFilters } from "./list-filters.ts";
import { parseListQuery } from "./list-query.ts";

const filtersOf = (rawQuery: string) => parseListQuery(rawQuery).filters;

describe("filters sent with a cursor", () => {
  test.each([
    ["", ""],
    ["status=all", ""],
    ["serial=007", "serial=7"],
    ["email=Ada@Example.com", "email=ada@example.COM"],
    ["email=j%C3%B6rg@b", "email=jo%CC%88rg@b"],
    ["updated_since=2026-03-01T12:00:00Z", "updated_since=2026-03-01T13:00%2B0100"],
    ["status=active&serial=1", "serial=1&status=active"],
  ])("match if they have the same meaning: %j and %j", (one, other) => {
    requireSameFilters(filtersOf(one), filtersOf(other));
    requireSameFilters(filtersOf(other), filtersOf(one));
  });

  test.each([
    ["", "status=active", "status"],
    ["status=active", "status=revoked", "status"],
    ["serial=1", "serial=2", "serial"],
    ["serial=1", "order=1", "order"],
    ["order=1", "order=01", "order"],
    ["order=1", "order=%231", "order"],
    ["order=%23a", "order=%23A", "order"],
    ["email=a@b", "email=a@c", "email"],
    ["email=a@b&status=active", "status=active", "email"],
    ["updated_since=2026-03-01T12:00:00Z", "updated_since=2026-03-01T12:00:00.001Z", "updated_since"],
    ["updated_since=1970-01-01T00:00:00Z", "", "updated_since"],
  ])("are refused if they differ, with an error that names the first difference: %j and %j", (one, other, name) => {
    for (const [sent, cursor] of [
      [one, other],
      [other, one],
    ] as const) {
      const refusal = serviceErrorOf(() => requireSameFilters(filtersOf(sent), filtersOf(cursor)));
      expect(refusal).toMatchObject({ code: "bad_request", field: name });
      expect(refusal.message.startsWith(`${name} `)).toBe(true);
    }
  });
});
