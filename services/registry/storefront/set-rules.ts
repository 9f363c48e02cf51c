import { completeRules, type RuleInput } from "./check-rules.ts";
import type { StorefrontOrders, Storefronts } from "./storefront-storage.ts";

/** Dependencies of {@link setRules}. */
export interface SetRulesDeps {
  readonly storefronts: Pick<Storefronts, "find" | "setRules">;
  readonly orders: Pick<StorefrontOrders, "touchSince">;
}

/**
 * Replaces the rules of a store. Orders placed since the earliest `since` of the new rules are compared with the rules
 * again; certificates that exist stay as they are.
 *
 * @throws ServiceError `bad_request` naming the field, `not_found` for an unknown store
 */
export async function setRules(
  { storefronts, orders }: SetRulesDeps,
  storeId: string,
  request: { readonly rules: readonly RuleInput[]; readonly now: Date; readonly actor: string },
): Promise<void> {
  const current = await storefronts.find(storeId);
  const rules = completeRules(request.rules, current.rules, request.now);
  await storefronts.setRules(storeId, rules, request.actor);
  const [earliest] = rules.map(({ since }) => since).toSorted((one, other) => one.getTime() - other.getTime());
  if (earliest !== undefined) await orders.touchSince(storeId, earliest);
}
