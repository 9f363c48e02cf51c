import type { StorefrontRule } from "#gen/registry/v1/storefront_service_pb.js";
import type { GetStorefrontResponse } from "#gen/settings/v1/storefront_settings_service_pb.js";
import { type Html, html } from "../../pages/html.ts";
import { formatNumber } from "../../pages/messages/format.ts";
import { badge, code, facts, link, moment, panel, rowList } from "../components/content.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { shellTexts } from "../shell/texts.ts";
import { changeRules, positionOf } from "./change-rules.ts";
import { listedCount, listedMax } from "./listed-count.ts";
import { problemListTexts } from "./problem-list-texts.ts";
import { requestTexts } from "./request-texts.ts";
import { ruleForm, ruleIn } from "./rule-form.ts";
import { ruleName } from "./rule-name.ts";
import { ruleRow } from "./rule-row.ts";
import { ruleTexts } from "./rule-texts.ts";
import { stateTone, storefrontState } from "./storefront-state.ts";
import { texts } from "./texts.ts";

/** Shows the connection to the storefront platform, and lists, adds, removes and reorders the rules. */
export const storefrontPage: SettingsPage = {
  path: "/storefront",
  section: "storefront",
  async show(visit) {
    const { language, registry, query } = visit;
    const [storefront, { problems }, { requests }] = await Promise.all([
      registry.storefront.getStorefront({}),
      registry.storefront.listStorefrontProblems({ limit: listedMax }),
      registry.storefront.listDataRequests({}),
    ]);
    const { rules, rulesVersion: version } = storefront;
    const text = ruleTexts[language];
    const done = Object.entries(text.done).find(([name]) => name === query.get("done"));
    const rows = rules.map((rule, index) =>
      ruleRow(visit, rule, { isFirst: index === 0, isLast: index === rules.length - 1, version }),
    );
    return {
      title: shellTexts[language].sections.storefront,
      lead: texts[language].lead,
      notice: done?.[1],
      content: html`${connectionPanel(visit, storefront, problems.length)}
${panel(text.rules, rowList(rows, text.empty), text.lead)}
${panel(text.add, ruleForm(visit, { action: "add", version }))}
${requestsPanel(visit, requests.length)}`,
    };
  },
  actions: {
    async add(visit, form) {
      const rule = ruleIn(visit, form);
      await changeRules(visit, form, (rules, version) => {
        const taken = rules.map(({ name }) => name);
        return [...rules, { ...rule, name: ruleName(rule.selector, rule.value, version, taken) }];
      });
      return { path: "/storefront?done=added" };
    },
    async remove(visit, form) {
      await changeRules(visit, form, (rules) => rules.toSpliced(positionOf(rules, form.text("rule")), 1));
      return { path: "/storefront?done=removed" };
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

function connectionPanel({ language, session }: Visit, storefront: GetStorefrontResponse, problemCount: number): Html {
  const text = texts[language];
  const { installedAt, uninstalledAt, isClosed, lastMessageAt, waitingCount } = storefront;
  const state = storefrontState(storefront, problemCount);
  return panel(
    text.connection,
    html`<p>${badge(stateTone(state), text.states[state])}</p>
${state !== "attention" && html`<p>${text.sentences[state]}</p>`}
${problemCount > 0 && html`<p>${problemListTexts[language].count(listedCount(problemCount, language))}</p>`}
${facts([
  [text.shop, code(session.shop)],
  [text.lastOpened, moment(installedAt, language)],
  [text.removed, isClosed ? moment(uninstalledAt, language) : undefined],
  [text.lastMessage, moment(lastMessageAt, language)],
  [text.waiting, waitingCount === 0 ? undefined : formatNumber(waitingCount, language)],
])}
${problemCount > 0 && html`<p class="more">${link("/storefront/problems", problemListTexts[language].show, "button")}</p>`}`,
  );
}

/** Renders the number of data requests from customers; undefined if there are none. */
function requestsPanel({ language }: Visit, requestCount: number): Html | undefined {
  if (requestCount === 0) return undefined;
  const { title, count, show } = requestTexts[language];
  return panel(
    title,
    html`<p>${count(listedCount(requestCount, language))}</p>
<p class="more">${link("/storefront/requests", show, "button")}</p>`,
  );
}
