import { RuleNumbering, RuleSelector, type StorefrontRule } from "#gen/registry/v1/storefront_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Html, html } from "../../pages/html.ts";
import { SettingsForm } from "../components/form.ts";
import { FormRefusal, type SentForm, type Visit } from "../model/settings-page.ts";
import { type RuleFault, readRule, type SelectorName, selectorNameIn, selectorNames } from "./rule-entries.ts";

const numeric = html` inputmode="numeric"`;

/** The form's action, the version of the rules that the page shows, and the rule to change. */
interface RuleFormOptions {
  readonly action: string;
  readonly version: number;
  /** Undefined if the form adds a rule. */
  readonly rule?: StorefrontRule;
  /** Initially chosen if the form adds a rule. Default: all products. */
  readonly selector?: SelectorName;
}

export function ruleForm(visit: Visit, { action, version, rule, selector = "all" }: RuleFormOptions): Html {
  const { text } = visit;
  const form = new SettingsForm(visit, action);
  const numberOf = (value: number | undefined) => (value ? String(value) : "");
  const selected = rule === undefined ? selector : selectorNameOf(rule);
  const labels = {
    all: text("settings.storefront.ruleForm.products"),
    tag: text("settings.storefront.ruleForm.kinds.tag"),
    sku: text("settings.storefront.ruleForm.kinds.sku"),
    product: text("settings.storefront.ruleForm.kinds.product"),
  };
  return form.frame(
    html`${form.version("version", version)}
${form.choice<SelectorName>({
  name: "selector",
  label: text("settings.storefront.ruleForm.products"),
  value: selected,
  options: selectorNames.map((name) => ({
    value: name,
    label: text(`settings.storefront.ruleForm.selectors.${name}`),
  })),
})}
${form.text({
  name: "value",
  label: labels[selectorNameIn(form.entry("selector", selected))],
  kinds: {
    tag: labels.tag,
    sku: withHint(labels.sku, text("settings.storefront.ruleForm.skuHint")),
    product: withHint(labels.product, text("settings.storefront.ruleForm.productHint")),
  },
  value: rule?.value ?? "",
  charactersMax: textLimits.sku.max,
})}
${form.choice({
  name: "outcome",
  label: text("settings.storefront.ruleForm.outcome"),
  value: rule?.excludes ? "none" : "issue",
  options: [
    { value: "issue", label: text("settings.storefront.ruleForm.issue") },
    { value: "none", label: text("settings.storefront.ruleForm.issueNone") },
  ],
})}
<div class="of-certificates">${form.text({
      name: "edition",
      label: text("settings.storefront.ruleForm.edition"),
      hint: text("settings.storefront.ruleForm.editionHint"),
      value: numberOf(rule?.editionTotal),
      charactersMax: 10,
      attributes: numeric,
    })}
${form.choice({
  name: "numbering",
  label: text("settings.storefront.ruleForm.numbering"),
  value: rule?.numbering === RuleNumbering.SHARED ? "shared" : "product",
  options: [
    { value: "product", label: text("settings.storefront.ruleForm.perProduct") },
    { value: "shared", label: text("settings.storefront.ruleForm.shared") },
  ],
})}
${form.text({
  name: "days",
  label: text("settings.storefront.ruleForm.days"),
  hint: text("settings.storefront.ruleForm.daysHint"),
  value: numberOf(rule?.validDays),
  charactersMax: 6,
  attributes: numeric,
})}</div>
${form.text({ name: "since", label: text("settings.storefront.ruleForm.since"), hint: rule === undefined ? text("settings.storefront.ruleForm.sinceNew") : text("settings.storefront.ruleForm.sinceKept"), type: "date" })}`,
    { submit: rule === undefined ? text("settings.storefront.rule.add") : text("settings.storefront.ruleForm.save") },
  );
}

function withHint(label: string, hint: string): Html {
  return html`${label} <span class="hint">${hint}</span>`;
}

/** Returns the rule that a form contains, without a name. @throws FormRefusal if an entry is invalid */
export function ruleIn(visit: Visit, form: SentForm) {
  const { rule, faults } = readRule(form);
  if (faults.length > 0)
    throw new FormRefusal(faults.map(({ field, fault }) => ({ field, text: faultText(fault, visit) })));
  return rule;
}

function faultText(fault: RuleFault, { text }: Visit): string {
  if (fault === "valueRequired") return text("settings.words.required");
  return text(`settings.storefront.ruleForm.mistakes.${fault}`);
}

function selectorNameOf({ selector }: StorefrontRule): SelectorName {
  return valueName(RuleSelector, selector) ?? "all";
}
