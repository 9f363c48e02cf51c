import { badRequest } from "#shared/errors/service-error.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { textProblem } from "../values/text-rules.ts";
import type { RuleSelector, StorefrontRule } from "./rules.ts";

/** A rule as a caller sends it. */
export type RuleInput = Omit<StorefrontRule, "since"> & {
  /** Default: `since` of the store's current rule with this name; the current time if there is no such rule. */
  readonly since: Date | undefined;
};

/** Maximum number of rules of a store. */
export const rulesMax = 50;

const editionTotalMax = 1_000_000_000;
const validDaysMax = 36_500;

/**
 * Validates rules, and completes them with the time from which they apply.
 *
 * @param current the rules to replace
 * @throws ServiceError `bad_request` naming the field
 */
export function completeRules(
  inputs: readonly RuleInput[],
  current: readonly StorefrontRule[],
  now: Date,
): readonly StorefrontRule[] {
  if (inputs.length > rulesMax) throw badRequest("rules", reason("too_many_rules", { max: rulesMax }));
  const sinceOf = new Map(current.map(({ name, since }) => [name, since]));
  return inputs.map((input, index) => {
    const path = `rules[${index}]`;
    if (!/^[\w-]{1,40}$/.test(input.name))
      throw badRequest(`${path}.name`, "must be 1 to 40 ASCII letters, digits, '-' or '_'");
    if (inputs.findIndex(({ name }) => name === input.name) < index)
      throw badRequest(`${path}.name`, "is the name of another rule");
    const problem = selectorProblem(input.selector);
    if (problem !== undefined) throw badRequest(`${path}.value`, problem);
    if ((input.editionTotal ?? 0) > editionTotalMax)
      throw badRequest(`${path}.edition_total`, reason("edition_too_large", { max: editionTotalMax }));
    if ((input.validDays ?? 0) > validDaysMax)
      throw badRequest(`${path}.valid_days`, reason("validity_too_long", { max: validDaysMax }));
    const since = input.since ?? sinceOf.get(input.name) ?? now;
    if (Number.isNaN(since.getTime())) throw badRequest(`${path}.since`, "is not a time");
    return { ...input, since };
  });
}

function selectorProblem(selector: RuleSelector): Reason | undefined {
  switch (selector.by) {
    case "all":
      return undefined;
    case "product":
      return /^\d{1,20}$/.test(selector.productId) ? undefined : reason("product_id_invalid");
    case "tag":
      return textProblem(selector.tag, textLimits.tag);
    case "sku":
      return textProblem(selector.pattern, { ...textLimits.sku, min: 1 });
  }
}
