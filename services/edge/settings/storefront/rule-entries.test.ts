import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { RuleNumbering, RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { readRule } from "./rule-entries.ts";

const read = (entries: Readonly<Record<string, string>>) => readRule({ text: (name) => entries[name] ?? "" });
const faultsOf = (entries: Readonly<Record<string, string>>) =>
  read(entries).faults.map(({ field, fault }) => `${field}: ${fault}`);

test("converts the entries of a rule that issues certificates", () => {
  const entries = { selector: "tag", value: "limited", edition: "100", numbering: "shared", days: "３６５" };
  expect(read({ ...entries, since: "2026-03-14" })).toEqual({
    rule: {
      selector: RuleSelector.TAG,
      value: "limited",
      excludes: false,
      editionTotal: 100,
      validDays: 365,
      numbering: RuleNumbering.SHARED,
      since: timestampFromDate(new Date("2026-03-14T00:00:00Z")),
    },
    faults: [],
  });
});

test("converts an empty form to a rule for all products, without an edition size, a validity period or a date", () => {
  expect(read({})).toEqual({
    rule: {
      selector: RuleSelector.ALL,
      value: "",
      excludes: false,
      editionTotal: 0,
      validDays: 0,
      numbering: RuleNumbering.PRODUCT,
    },
    faults: [],
  });
});

test("ignores the edition size and the validity period of a rule that excludes products", () => {
  const { rule, faults } = read({ selector: "sku", value: "GIFT-*", outcome: "none", edition: "x", days: "30" });
  expect(rule).toMatchObject({ excludes: true, editionTotal: 0, validDays: 0 });
  expect(faults).toEqual([]);
});

test.each([
  [{ selector: "all", value: "limited" }, []],
  [{ selector: "tag" }, ["value: valueRequired"]],
  [{ selector: "product", value: "Poster" }, ["value: productId"]],
  [{ selector: "product", value: "８１００" }, []],
  [{ edition: "0", days: "1.5" }, ["edition: editionSize", "days: validDays"]],
  [{ edition: "1000000001", days: "36501" }, ["edition: editionSize", "days: validDays"]],
  [{ edition: "1000000000", days: "36500" }, []],
  [{ since: "14.03.2026" }, ["since: date"]],
  [{ since: "2026-02-31" }, ["since: date"]],
])("the entries %j have the faults %j", (entries, faults) => {
  expect(faultsOf(entries)).toEqual(faults);
});
