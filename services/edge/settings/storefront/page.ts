import {
  type GetStorefrontResponse,
  RuleSelector,
  type StorefrontRule,
} from "#gen/registry/v1/storefront_service_pb.js";
import { receivedText } from "#shared/texts/texts.ts";
import { formatNumber } from "../../pages/format.ts";
import { type Html, html } from "../../pages/html.ts";
import { badge, code, facts, link, moment, panel, rowList } from "../components/content.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { changeRules, positionOf, ruleFields } from "./change-rules.ts";
import { coveringRule, withNewRule } from "./covered-rules.ts";
import { listedCount, listedMax } from "./listed-count.ts";
import type { RuleInit } from "./rule-entries.ts";
import { ruleForm, ruleIn } from "./rule-form.ts";
import { ruleName } from "./rule-name.ts";
import { ruleRow } from "./rule-row.ts";
import { stateTone, storefrontState } from "./storefront-state.ts";

/** Shows the connection to the storefront platform, and lists, adds, removes and reorders the rules. */
export const storefrontPage: SettingsPage = {
  path: "/storefront",
  section: "storefront",
  async show(visit) {
    const { language, text, registry, query } = visit;
    const [storefront, { problems }, { requests }] = await Promise.all([
      registry.storefront.getStorefront({}),
      registry.storefront.listStorefrontProblems({ limit: listedMax }),
      registry.storefront.listDataRequests({}),
    ]);
    const { rules, rulesVersion: version } = storefront;
    // A second rule for all products could never apply.
    const selector = rules.some((rule) => rule.selector === RuleSelector.ALL) ? "tag" : "all";
    const rows = rules.map((rule, index) =>
      ruleRow(visit, rule, {
        isFirst: index === 0,
        isLast: index === rules.length - 1,
        version,
        coveredBy: coveringRule(rules, index)?.by,
      }),
    );
    return {
      title: text("settings.shell.sections.storefront"),
      lead: text("settings.storefront.lead"),
      notice: receivedText(language, `settings.storefront.rule.done.${query.get("done")}`),
      content: html`${connectionPanel(visit, storefront, problems.length)}
${panel(text("settings.storefront.rule.rules"), rowList(rows, text("settings.storefront.rule.empty")), text("settings.storefront.rule.lead"))}
${panel(text("settings.storefront.rule.add"), ruleForm(visit, { action: "add", version, selector }))}
${requestsPanel(visit, requests.length)}`,
    };
  },
  fields: ruleFields,
  guardedActions: {
    async add(visit, form) {
      const rule = ruleIn(visit, form);
      await changeRules(visit, form, (rules, version) => {
        const taken = rules.map(({ name }) => name);
        const named = { ...rule, name: ruleName(rule.selector, rule.value, version, taken) };
        return withNewRule<RuleInit & { readonly selector: RuleSelector }>(rules, named);
      });
      return { path: "/storefront?done=added" };
    },
    async remove(visit, form) {
      await changeRules(visit, form, (rules) => rules.toSpliced(positionOf(rules, form.text("rule")), 1));
      return { path: "/storefront?done=removed" };
    },
    async raise(visit, form) {
      await changeRules(visit, form, (rules) => {
        const from = positionOf(rules, form.text("rule"));
        const above = coveringRule(rules, from)?.position ?? from;
        return moved(rules, form.text("rule"), above - from);
      });
      return { path: "/storefront?done=moved" };
    },
    async up(visit, form) {
      await changeRules(visit, form, (rules) => moved(rules, form.text("rule"), -1));
      return { path: "/storefront?done=moved" };
    },
    async down(visit, form) {
      await changeRules(visit, form, (rules) => moved(rules, form.text("rule"), 1));
      return { path: "/storefront?done=moved" };
    },
  },
};

/** Returns the rules with the named rule moved by `places` (negative: towards the start), but not past either end. */
function moved(rules: readonly StorefrontRule[], name: string, places: number): StorefrontRule[] {
  const from = positionOf(rules, name);
  const to = Math.max(0, from + places);
  return rules.toSpliced(from, 1).toSpliced(to, 0, ...rules.slice(from, from + 1));
}

function connectionPanel(visit: Visit, storefront: GetStorefrontResponse, problemCount: number): Html {
  const { language, text, session } = visit;
  const { installedAt, uninstalledAt, isClosed, lastMessageAt, waitingCount } = storefront;
  const state = storefrontState(storefront, problemCount);
  // Before the first message, only a comparison with new rules can wait, and the store has no orders to compare.
  const isWaiting = waitingCount > 0 && state !== "unused";
  return panel(
    text("settings.storefront.connection"),
    html`<p>${badge(stateTone(state), text(`settings.storefront.states.${state}`))}</p>
${state !== "attention" && html`<p>${text(`settings.storefront.sentences.${state}`)}</p>`}
${problemCount > 0 && html`<p>${text("settings.storefront.problemList.count", { count: listedCount(problemCount, language) })}</p>`}
${facts([
  [text("settings.storefront.shop"), code(session.shop)],
  [text("settings.storefront.lastOpened"), moment(installedAt, language)],
  [text("settings.storefront.removed"), isClosed ? moment(uninstalledAt, language) : undefined],
  [text("settings.storefront.lastMessage"), moment(lastMessageAt, language)],
  [text("settings.storefront.waiting"), isWaiting ? formatNumber(waitingCount, language) : undefined],
])}
${problemCount > 0 && html`<p class="more">${link("/storefront/problems", text("settings.storefront.problemList.show"), "button")}</p>`}`,
  );
}

/** Renders the number of data requests from customers; undefined if there are none. */
function requestsPanel({ language, text }: Visit, requestCount: number): Html | undefined {
  if (requestCount === 0) return undefined;
  return panel(
    text("settings.storefront.request.title"),
    html`<p>${text("settings.storefront.request.count", { count: listedCount(requestCount, language) })}</p>
<p class="more">${link("/storefront/requests", text("settings.storefront.request.show"), "button")}</p>`,
  );
}
