import { RuleNumbering, RuleSelector, type StorefrontRule } from "#gen/registry/v1/storefront_service_pb.js";
import { type Html, html } from "../../pages/html.ts";
import { formatNumber } from "../../pages/messages/format.ts";
import type { Language } from "../../pages/messages/languages.ts";
import { badge, code, disclosure, isolated, link, moment, type Row } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import type { Visit } from "../model/settings-page.ts";
import { ruleTexts } from "./rule-texts.ts";

/** Whether a rule is the first or the last, and the version of the rules. */
interface RulePlace {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly version: number;
}

/** Renders a rule with its forms. */
export function ruleRow(visit: Visit, rule: StorefrontRule, place: RulePlace): Row {
  return { ...ruleSummary(visit.language, rule), more: actionForms(visit, rule.name, place) };
}

/** Renders a rule without its forms: its products, its start date, and its certificates' edition and validity. */
export function ruleSummary(language: Language, rule: StorefrontRule): Row {
  const { excludes, name, since } = rule;
  const text = ruleTexts[language];
  return {
    title: ruleTitle(language, rule),
    state: excludes ? badge("neutral", text.none) : badge("good", text.certificates),
    details: [
      ...(excludes ? [] : [editionText(language, rule), validityText(language, rule)]),
      html`${text.ordersSince} ${moment(since, language)}`,
      code(name),
    ],
  };
}

function ruleTitle(language: Language, { selector, value }: StorefrontRule): Html | string {
  const text = ruleTexts[language];
  switch (selector) {
    case RuleSelector.PRODUCT:
      return html`${text.product} ${code(value)}`;
    case RuleSelector.TAG:
      return html`${text.tag} <q>${isolated(value)}</q>`;
    case RuleSelector.SKU:
      return html`SKU ${code(value)}`;
    default:
      return text.all;
  }
}

function editionText(language: Language, { editionTotal, numbering }: StorefrontRule): string {
  const { noEdition, editionOf, sharedEditionOf } = ruleTexts[language];
  if (editionTotal === 0) return noEdition;
  const size = formatNumber(editionTotal, language);
  return numbering === RuleNumbering.SHARED ? sharedEditionOf(size) : editionOf(size);
}

function validityText(language: Language, { validDays }: StorefrontRule): string {
  const { neverExpires, validFor } = ruleTexts[language];
  if (validDays === 0) return neverExpires;
  const days = new Intl.NumberFormat(language, { style: "unit", unit: "day", unitDisplay: "long" }).format(validDays);
  return validFor(days);
}

function actionForms(visit: Visit, name: string, { isFirst, isLast, version }: RulePlace): Html {
  const text = ruleTexts[visit.language];
  const form = (action: string, submit: string, kind: "quiet" | "danger", lead?: string) => {
    const fields = new SettingsForm(visit, action, name);
    const hidden = html`${fields.hidden("rule", name)}${fields.hidden("version", String(version))}`;
    return fields.frame(html`${lead && html`<p class="hint">${lead}</p>`}${hidden}`, { submit, kind });
  };
  return html`<div class="inline-actions">${link(`/storefront/rules/${encodeURIComponent(name)}`, text.change, "button")}
${!isFirst && form("up", text.up, "quiet")}${!isLast && form("down", text.down, "quiet")}</div>
${disclosure(text.remove, form("remove", text.remove, "danger", text.removeLead))}`;
}
