import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";

// Rule names have at most 40 characters; the remaining eleven are for two hyphens and the numbers.
const baseCharactersMax = 29;

/**
 * Returns a name for a new rule, composed of its selector, its value and a number, such as `tag-limited-7`. The name of
 * a removed rule is not used again: the name identifies a shared edition, which a new rule must not continue.
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
  const base = [RuleSelector[selector].toLowerCase(), ...words].join("-").slice(0, baseCharactersMax);
  const name = `${base}-${version + 1}`;
  // A rule created through the API may have this name. Incrementing the version could take the name of a later rule.
  for (let copy = 1; ; copy++) {
    const candidate = copy === 1 ? name : `${name}-${copy}`;
    if (!taken.includes(candidate)) return candidate;
  }
}
