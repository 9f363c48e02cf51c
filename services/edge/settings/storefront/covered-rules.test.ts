import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { coveringRule, withNewRule } from "./covered-rules.ts";

const { ALL, TAG, SKU } = RuleSelector;
const rule = (selector: RuleSelector, value = "", sinceMs = 0) => ({
  selector,
  value,
  since: timestampFromMs(sinceMs),
});

test.each([
  ["a tag below all products", [rule(ALL), rule(TAG, "a")], { by: "all", position: 0 }],
  ["all products twice", [rule(ALL), rule(ALL)], { by: "same", position: 0 }],
  ["the same tag twice", [rule(TAG, "A"), rule(SKU, "a"), rule(TAG, "a")], { by: "same", position: 0 }],
  ["all products last", [rule(TAG, "a"), rule(ALL)], undefined],
  ["another tag", [rule(TAG, "a"), rule(TAG, "b")], undefined],
  ["all products, for newer orders only", [rule(ALL, "", 2), rule(TAG, "a", 1)], undefined],
])("of %s, the last one is covered as expected", (_name, rules, covering) => {
  expect(coveringRule(rules, rules.length - 1)).toEqual(covering);
});

test("a new rule comes before the one for all products, and one for all products last", () => {
  const [tag, all, sku] = [rule(TAG, "a"), rule(ALL), rule(SKU, "b")];
  expect(withNewRule([tag, all], sku)).toEqual([tag, sku, all]);
  expect(withNewRule([tag], sku)).toEqual([tag, sku]);
  expect(withNewRule([tag, all], rule(ALL))).toEqual([tag, all, rule(ALL)]);
});
