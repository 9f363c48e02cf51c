import { create } from "@bufbuild/protobuf";
import { StorefrontRuleSchema } from "#gen/registry/v1/storefront_service_pb.js";
import { html } from "../../pages/html.ts";
import { panel, rowList } from "../components/content.ts";
import type { SettingsPage } from "../model/settings-page.ts";
import { changeRules, positionOf, ruleFields } from "./change-rules.ts";
import { ruleForm, ruleIn } from "./rule-form.ts";
import { ruleSummary } from "./rule-row.ts";

/** Changes a rule. Shows the stored rule above the form, in case another person has changed it in the meantime. */
export const rulePage: SettingsPage = {
  path: "/storefront/rules/:rule",
  section: "storefront",
  async show(visit) {
    const { text, registry, params } = visit;
    const { rules, rulesVersion: version } = await registry.storefront.getStorefront({});
    const parent = { path: "/storefront", title: text("settings.shell.sections.storefront") };
    const name = params.rule ?? "";
    // The form was refused because another person has removed the rule. The error says that the page shows the current
    // rules.
    if (visit.refused !== undefined && !rules.some((rule) => rule.name === name)) {
      const summaries = rules.map((rule) => ruleSummary(visit, rule));
      return {
        title: text("settings.storefront.rule.change"),
        parent,
        content: panel(
          text("settings.storefront.rule.rules"),
          rowList(summaries, text("settings.storefront.rule.empty")),
        ),
      };
    }
    const [rule] = rules.slice(positionOf(rules, name));
    return {
      title: text("settings.storefront.rule.change"),
      parent,
      content: html`${panel(text("settings.storefront.rule.present"), rowList(rule === undefined ? [] : [ruleSummary(visit, rule)], ""))}
<section class="panel">${ruleForm(visit, { action: "change", version, ...(rule && { rule }) })}</section>`,
    };
  },
  fields: ruleFields,
  guardedActions: {
    async change(visit, form) {
      const name = visit.params.rule ?? "";
      await changeRules(visit, form, (rules) => {
        const position = positionOf(rules, name);
        return rules.with(position, create(StorefrontRuleSchema, { ...ruleIn(visit, form), name }));
      });
      return { path: "/storefront?done=changed" };
    },
  },
};
