import { describe, expect, test } from "vitest";
import { lineFixture, ruleFixture } from "./order-fixture.ts";
import { editionSeriesOf, type RuleSelector, ruleFor, type StorefrontRule } from "./rules.ts";

const rule = (changes: Partial<StorefrontRule> = {}) => ruleFixture({ name: "one", ...changes });

const decisionFor = (
  rules: readonly StorefrontRule[],
  changes = {},
  tags: readonly string[] | undefined = undefined,
  orderedAtMs = 1_000,
) => {
  const decision = ruleFor(rules, { line: lineFixture(changes), tags, orderedAtMs });
  return typeof decision === "object" ? decision.name : decision;
};
const nameFor = (rules: readonly StorefrontRule[], changes = {}, tags: readonly string[] = [], orderedAtMs = 1_000) =>
  decisionFor(rules, changes, tags, orderedAtMs);

describe("a rule", () => {
  test.each<[string, RuleSelector, object, boolean]>([
    ["for all products", { by: "all" }, { productId: "", sku: "" }, true],
    ["for the product", { by: "product", productId: "7001" }, {}, true],
    ["for another product", { by: "product", productId: "7002" }, {}, false],
    ["for a product, and a line of a deleted product", { by: "product", productId: "7001" }, { productId: "" }, false],
    ["for a tag, in another letter case and with spaces", { by: "tag", tag: " certified " }, {}, true],
    ["for another tag", { by: "tag", tag: "Cert" }, {}, false],
    ["for the SKU in another letter case", { by: "sku", pattern: "wh-a2" }, {}, true],
    ["for the beginning of the SKU", { by: "sku", pattern: "WH-*" }, {}, true],
    ["for the end of the SKU", { by: "sku", pattern: "*-A2" }, {}, true],
    ["for the middle and the end of the SKU", { by: "sku", pattern: "*H-*2" }, {}, true],
    ["for a beginning and an end that overlap", { by: "sku", pattern: "WH-A*-A2" }, {}, false],
    ["for any SKU, and a line without one", { by: "sku", pattern: "*" }, { sku: "" }, true],
    ["for a pattern with the characters of a regular expression", { by: "sku", pattern: "WH.A2" }, {}, false],
    ["for the beginning of a SKU, and a line without one", { by: "sku", pattern: "WH-*" }, { sku: "" }, false],
  ])("selects exactly the lines that match its selector: %s", (_name, selector, line, isSelected) => {
    expect(nameFor([rule({ selector })], line, ["Certified", "Limited"])).toBe(isSelected ? "one" : undefined);
  });

  test("takes precedence over later rules, even if it excludes the product", () => {
    const rules = [rule({ name: "no", selector: { by: "tag", tag: "plain" }, excludes: true }), rule({ name: "all" })];
    expect(nameFor(rules, {}, ["plain"])).toBeUndefined();
    expect(nameFor(rules)).toBe("all");
  });

  test("does not apply to orders placed before `since`", () => {
    const rules = [rule({ name: "new", since: new Date(2_000) }), rule({ name: "old" })];
    expect(nameFor(rules, {}, [], 1_999)).toBe("old");
    expect(nameFor(rules, {}, [], 2_000)).toBe("new");
  });

  describe("for a tag, while the product's tags are unknown", () => {
    const limited = rule({ name: "limited", selector: { by: "tag", tag: "limited" }, editionTotal: 100 });
    const plain = rule({ name: "plain", selector: { by: "tag", tag: "plain" }, excludes: true });
    const all = rule({ name: "all" });
    const sku = rule({ name: "sku", selector: { by: "sku", pattern: "WH-*" } });

    test.each<[string, readonly StorefrontRule[], "undecided" | string | undefined]>([
      ["leaves undecided which rule applies", [limited, all], "undecided"],
      ["leaves undecided whether the product is excluded", [plain, all], "undecided"],
      ["leaves undecided whether the product gets certificates", [limited], "undecided"],
      ["is undecided even if the next rule excludes the product", [limited, rule({ excludes: true })], "undecided"],
      ["does not matter after a rule that selects the line", [sku, limited, all], "sku"],
      ["does not matter if the product gets no certificates in either case", [plain, plain], undefined],
      ["does not matter if the rule is newer than the order", [{ ...limited, since: new Date(2_000) }, all], "all"],
    ])("%s", (_name, rules, decision) => {
      expect(decisionFor(rules)).toBe(decision);
    });
  });

  test("never applies to a gift card", () => {
    expect(nameFor([rule()], { isGiftCard: true })).toBeUndefined();
  });

  test("evaluates a pattern with many wildcards without backtracking", () => {
    const pattern = `${"*a".repeat(120)}b`;
    expect(nameFor([rule({ selector: { by: "sku", pattern } })], { sku: "a".repeat(255) })).toBeUndefined();
  });

  test("uses a separate edition for each product, or one edition for all its products", () => {
    const line = lineFixture();
    expect(editionSeriesOf(rule(), line)).toBe("product:7001");
    expect(editionSeriesOf(rule(), { ...line, productId: "" })).toBe("title:Winter Harbour");
    expect(editionSeriesOf(rule({ numbering: "shared" }), line)).toBe("rule:one");
  });
});
