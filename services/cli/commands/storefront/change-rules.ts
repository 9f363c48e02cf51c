import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type StorefrontRule, StorefrontRuleSchema } from "#gen/registry/v1/storefront_service_pb.js";
import { saveUnlessChanged } from "#shared/rpc/save-unless-changed.ts";
import type { StoreCalls } from "../../registry-client/operator-client.ts";

/** A rule to send in a request. */
export type RuleInit = MessageInitShape<typeof StorefrontRuleSchema>;

/**
 * Changes the rules of a store. If another caller changes them meanwhile, reads them again and repeats the change, so
 * that neither change is lost. Makes at most five attempts.
 *
 * @param change returns the new rules; an error that it throws ends the call
 */
export async function changeRules(
  { storefront }: Pick<StoreCalls, "storefront">,
  change: (rules: readonly StorefrontRule[]) => readonly RuleInit[],
): Promise<void> {
  await saveUnlessChanged(async () => {
    const { rules, rulesVersion } = await storefront.getStorefront({});
    await storefront.setStorefrontRules({ rules: [...change(rules)], expectedVersion: rulesVersion });
  });
}

/** Returns the rules with `rule` added at the end, or in place of the rule with the same name. */
export function withRule(rules: readonly StorefrontRule[], rule: RuleInit): RuleInit[] {
  const added = create(StorefrontRuleSchema, rule);
  const at = rules.findIndex(({ name }) => name === rule.name);
  return at < 0 ? [...rules, added] : rules.with(at, added);
}
