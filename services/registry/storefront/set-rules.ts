import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { completeRules, type RuleInput } from "./check-rules.ts";
import type { Storefronts } from "./storefront-storage.ts";

interface SetRulesDeps {
  readonly storefronts: Pick<Storefronts, "find" | "setRules">;
}

/** A request to replace the rules of a store. */
interface RulesRequest {
  readonly rules: readonly RuleInput[];
  /** Version of the rules that the caller has read; if undefined, any version is replaced. */
  readonly expectedVersion: number | undefined;
  readonly now: Date;
  readonly actor: string;
}

/**
 * Replaces the rules of a store. Orders placed since the earliest `since` of the new and the previous rules are
 * compared with the rules again; existing certificates do not change.
 *
 * @returns the new version of the rules
 * @throws ServiceError `bad_request` naming the field, `not_found` for an unknown store, `conflict` if the rules have
 * changed since the caller, or this function, read them
 */
export async function setRules(
  { storefronts }: SetRulesDeps,
  storeId: string,
  { rules: inputs, expectedVersion, now, actor }: RulesRequest,
): Promise<number> {
  const current = await storefronts.find(storeId);
  if (expectedVersion !== undefined && expectedVersion !== current.rulesVersion) throw rulesChanged();
  const rules = completeRules(inputs, current.rules, now);
  // Includes the previous rules, because orders can have notes that depend on them.
  const times = [...current.rules, ...rules].map(({ since }) => since);
  const [touchSince] = times.toSorted((one, other) => one.getTime() - other.getTime());
  return storefronts.setRules(storeId, rules, { expectedVersion: current.rulesVersion, actor, touchSince });
}

/** Returns the error for an attempt to replace rules that have changed since they were read. */
export function rulesChanged(): ServiceError {
  return new ServiceError("conflict", reason("rules_changed"));
}
