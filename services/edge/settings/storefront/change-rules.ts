import type { StorefrontRule } from "#gen/registry/v1/storefront_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { FormRefusal, type SentForm, type Visit } from "../model/settings-page.ts";
import type { RuleInit } from "./rule-entries.ts";

/**
 * Changes the store's rules if they still have the version that the form contains.
 *
 * @param change returns the new rules
 * @throws FormRefusal if the rules have changed since the form was opened, or if there are too many; ServiceError for
 *   any other failure; and the errors of `change`
 */
export async function changeRules(
  visit: Visit,
  form: SentForm,
  change: (rules: readonly StorefrontRule[], version: number) => readonly RuleInit[],
): Promise<void> {
  const { storefront } = visit.registry;
  const { rules, rulesVersion } = await storefront.getStorefront({});
  if (form.text("version") !== String(rulesVersion)) throw changedMeanwhile(visit);
  try {
    await storefront.setStorefrontRules({ rules: [...change(rules, rulesVersion)], expectedVersion: rulesVersion });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === "conflict") throw changedMeanwhile(visit);
    if (error.field !== "rules") throw error;
    throw new FormRefusal([{ field: "", text: visit.text("settings.storefront.ruleForm.tooMany") }]);
  }
}

/** Returns the index of the rule with the given name. @throws ServiceError `not_found` */
export function positionOf(rules: readonly StorefrontRule[], name: string): number {
  const position = rules.findIndex((rule) => rule.name === name);
  if (position < 0) throw new ServiceError("not_found", "There is no such rule.");
  return position;
}

function changedMeanwhile({ text }: Visit): FormRefusal {
  return new FormRefusal([{ field: "version", text: text("settings.storefront.ruleForm.changedMeanwhile") }]);
}

/** The fields of a rule's form, by the registry's names. */
export const ruleFields = { value: "value", edition_total: "edition", valid_days: "days" } as const;
