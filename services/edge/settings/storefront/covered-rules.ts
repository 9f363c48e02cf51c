import { timestampMs } from "@bufbuild/protobuf/wkt";
import { RuleSelector, type StorefrontRule } from "#gen/registry/v1/storefront_service_pb.js";

type Selected = Pick<StorefrontRule, "selector" | "value" | "since">;

/** An earlier rule that decides about every product and order of a later one. */
export interface CoveringRule {
  /** `all`: the earlier rule is for all products; `same`: for the same ones. */
  readonly by: "all" | "same";
  readonly position: number;
}

/** Returns the first rule because of which the rule at `position` can never apply; undefined if it can apply. */
export function coveringRule(rules: readonly Selected[], position: number): CoveringRule | undefined {
  const rule = rules[position];
  if (rule === undefined) return undefined;
  const found = rules.slice(0, position).findIndex((earlier) => covers(earlier, rule));
  if (found < 0) return undefined;
  const isForAll = rules[found]?.selector === RuleSelector.ALL && rule.selector !== RuleSelector.ALL;
  return { by: isForAll ? "all" : "same", position: found };
}

/** Returns the rules with a new one before the first that is for all products, so that the new one can apply. */
export function withNewRule<Rule extends Pick<Selected, "selector">>(rules: readonly Rule[], rule: Rule): Rule[] {
  const forAll = rules.findIndex(({ selector }) => selector === RuleSelector.ALL);
  return rules.toSpliced(forAll < 0 || rule.selector === RuleSelector.ALL ? rules.length : forAll, 0, rule);
}

// An earlier rule that begins later leaves older orders to the rule.
function covers(earlier: Selected, rule: Selected): boolean {
  if (sinceMs(earlier) > sinceMs(rule)) return false;
  if (earlier.selector === RuleSelector.ALL) return true;
  return earlier.selector === rule.selector && folded(earlier.value) === folded(rule.value);
}

function sinceMs({ since }: Selected): number {
  return since === undefined ? 0 : timestampMs(since);
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
