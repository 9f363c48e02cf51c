import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";

const prefixes = {
  [RuleSelector.UNSPECIFIED]: "rule",
  [RuleSelector.ALL]: "all",
  [RuleSelector.PRODUCT]: "product",
  [RuleSelector.TAG]: "tag",
  [RuleSelector.SKU]: "sku",
} as const satisfies Record<RuleSelector, string>;

// Names have at most 40 characters; the remaining ones are for a hyphen and a number.
const baseCharactersMax = 32;

/**
 * Returns a name for a new rule, composed of its selector, its value and a number, such as `tag-limited-7`. A name is
 * not used again after its rule was removed, because a shared edition belongs to the name: a new rule must not continue
 * the old edition.
 *
 * @param version the version of the rules before the new rule is added; it increases with each change
 * @param taken the names of the current rules
 */
export function ruleName(selector: RuleSelector, value: string, version: number, taken: readonly string[]): string {
  const words =
    value
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const base = [prefixes[selector], ...words].join("-").slice(0, baseCharactersMax);
  for (let number = version + 1; ; number += 1) {
    const name = `${base}-${number}`;
    if (!taken.includes(name)) return name;
  }
}
