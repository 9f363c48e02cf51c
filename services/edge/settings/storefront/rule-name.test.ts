import { expect, test } from "vitest";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { ruleName } from "./rule-name.ts";

const { ALL, PRODUCT, TAG, SKU } = RuleSelector;

test.each([
  [ALL, "", 0, [], "all-1"],
  [ALL, "", 4, ["all-5"], "all-5-2"],
  [PRODUCT, "8100000000001", 2, [], "product-8100000000001-3"],
  [TAG, "Limited Édition", 0, [], "tag-limited-e-dition-1"],
  [TAG, "限定", 6, ["tag-1", "tag-2"], "tag-7"],
  [SKU, "ART-*", 0, [], "sku-art-1"],
] as const)("selector %i with the value %j in version %i, while the names %j are taken: %s", (...row) => {
  const [selector, value, version, taken, name] = row;
  expect(ruleName(selector, value, version, taken)).toBe(name);
});

test("a rule that is removed and added again has a new name, so that it begins a new edition", () => {
  const first = ruleName(TAG, "limited", 3, []);
  // Adding and then removing the rule increased the version by two.
  expect(ruleName(TAG, "limited", 5, [])).not.toBe(first);
});

test("does not reuse the name of a removed rule, even if other rules have names with higher numbers", () => {
  const others = ["tag-2", "tag-3", "tag-4", "tag-5"];
  const first = ruleName(TAG, "限定", 1, others);
  expect(ruleName(TAG, "限定", 3, others)).not.toBe(first);
});

test("a rule with the longest value gets a valid name after a million changes", () => {
  expect(ruleName(SKU, "x".repeat(255), 1_000_000, [])).toMatch(/^[\w-]{1,40}$/);
});
