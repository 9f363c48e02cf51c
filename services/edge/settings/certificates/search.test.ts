import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { listOf, nextSearch, reversed, searchOf } from "./search.ts";

const searchFor = (query: string) => searchOf(new URLSearchParams(query));

test.each([
  ["", {}],
  ["q=+ada%40example.com+", { search: "ada@example.com" }],
  ["q=%231042", { search: "#1042" }],
  ["q=001042&status=revoked", { search: "001042", status: StatusFilter.REVOKED }],
  [`q=${"x".repeat(300)}`, { search: "x".repeat(255) }],
  ["status=unknown&after=1000", { after: timestampFromMs(1_000) }],
  ["after=yesterday", {}],
])("converts the search %j", (query, expected) => {
  expect(searchFor(query)).toEqual(expected);
});

test.each([
  ["", true, "?sort=oldest"],
  ["q=vase&status=revoked&after=5", true, "?q=vase&status=revoked&sort=oldest"],
  ["q=vase&sort=oldest&after=5", false, "?q=vase"],
  ["sort=oldest&after=5", false, ""],
])("shows the list %j with the newest first: %s, and offers the other order", (query, newestFirst, other) => {
  expect(listOf(new URLSearchParams(query))).toMatchObject({ newestFirst });
  expect(reversed(new URLSearchParams(query))).toBe(other);
});

test("builds the query for the next page from the search, the order and the new position only", () => {
  const query = new URLSearchParams("q=%231042&status=&sort=oldest&after=5&lang=de");
  expect(nextSearch(query, timestampFromMs(1_000))).toBe("q=%231042&sort=oldest&after=1000");
});
