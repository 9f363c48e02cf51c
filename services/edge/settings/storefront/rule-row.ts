import { RuleNumbering, RuleSelector, type StorefrontRule } from "#gen/registry/v1/storefront_service_pb.js";
import { type Html, html, isolated } from "../../pages/html.ts";
import { badge, code, link, moment, type Row } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import type { Visit } from "../model/settings-page.ts";
import type { CoveringRule } from "./covered-rules.ts";

/** Whether a rule is the first or the last, and the version of the rules. */
interface RulePlace {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly version: number;
  /** Why the rule can never apply; undefined if it can. */
  readonly coveredBy: CoveringRule["by"] | undefined;
}

export function ruleRow(visit: Visit, rule: StorefrontRule, place: RulePlace): Row {
  const summary = ruleSummary(visit, rule);
  const more = actionForms(visit, rule.name, place);
  const { coveredBy } = place;
  if (coveredBy === undefined) return { ...summary, more };
  const why = html`<p class="hint">${visit.text(`settings.storefront.rule.covered.${coveredBy}`)}</p>`;
  return { ...summary, state: badge("bad", visit.text("settings.storefront.rule.never")), more: html`${why}${more}` };
}

/** Renders a rule without its forms: its products, its start date, and its certificates' edition and validity. */
export function ruleSummary(visit: Visit, rule: StorefrontRule): Row {
  const { excludes, since } = rule;
  const { language, text } = visit;
  return {
    title: ruleTitle(visit, rule),
    state: excludes
      ? badge("neutral", text("settings.storefront.rule.none"))
      : badge("good", text("settings.storefront.rule.certificates")),
    details: [
      ...(excludes ? [] : [editionText(visit, rule), validityText(visit, rule)]),
      html`${text("settings.storefront.rule.ordersSince")} ${moment(since, language)}`,
    ],
  };
}

function ruleTitle({ text }: Visit, { selector, value }: StorefrontRule): Html | string {
  switch (selector) {
    case RuleSelector.PRODUCT:
      return html`${text("settings.storefront.rule.product")} ${code(value)}`;
    case RuleSelector.TAG:
      return html`${text("settings.storefront.rule.tag")} <q>${isolated(value)}</q>`;
    case RuleSelector.SKU:
      return html`SKU ${code(value)}`;
    default:
      return text("settings.storefront.rule.all");
  }
}

function editionText({ text }: Visit, { editionTotal, numbering }: StorefrontRule): string {
  if (editionTotal === 0) return text("settings.storefront.rule.noEdition");
  return numbering === RuleNumbering.SHARED
    ? text("settings.storefront.rule.sharedEditionOf", { size: editionTotal })
    : text("settings.storefront.rule.editionOf", { size: editionTotal });
}

function validityText({ language, text }: Visit, { validDays }: StorefrontRule): string {
  if (validDays === 0) return text("settings.storefront.rule.neverExpires");
  const days = new Intl.NumberFormat(language, { style: "unit", unit: "day", unitDisplay: "long" }).format(validDays);
  return text("settings.storefront.rule.validFor", { days });
}

function actionForms(visit: Visit, name: string, { isFirst, isLast, version, coveredBy }: RulePlace): Html {
  const { text } = visit;
  const hidden = (form: SettingsForm) => html`${form.hidden("rule", name)}${form.hidden("version", String(version))}`;
  const button = (action: string, submit: string, kind: "primary" | "quiet") => {
    const form = new SettingsForm(visit, action, name);
    return form.frame(hidden(form), { submit, kind });
  };
  const submit = text("settings.storefront.rule.remove");
  const remove = new SettingsForm(visit, "remove", name);
  const removeFields = html`<p class="hint">${text("settings.storefront.rule.removeLead")}</p>${hidden(remove)}`;
  const fix =
    coveredBy === "all"
      ? button("raise", text("settings.storefront.rule.raise"), "primary")
      : coveredBy === "same" && button("remove", submit, "primary");
  return html`<div class="inline-actions">${fix}${link(`/storefront/rules/${encodeURIComponent(name)}`, text("settings.storefront.rule.change"), "button")}
${!isFirst && button("up", text("settings.storefront.rule.up"), "quiet")}${!isLast && button("down", text("settings.storefront.rule.down"), "quiet")}</div>
${coveredBy !== "same" && remove.disclosed(removeFields, { submit, kind: "danger" })}`;
}
