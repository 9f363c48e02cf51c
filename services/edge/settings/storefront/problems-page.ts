import type { StorefrontProblem } from "#gen/registry/v1/storefront_service_pb.js";
import { type Html, html } from "../../pages/html.ts";
import type { Language } from "../../pages/messages/languages.ts";
import { badge, code, isolated, link, moment, panel, type Row, rowList } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { reasonKind } from "../reasons/reason-kinds.ts";
import { reasonText } from "../reasons/reason-text.ts";
import { shellTexts } from "../shell/texts.ts";
import { words } from "../words/texts.ts";
import { problemListTexts } from "./problem-list-texts.ts";

const pageSize = 25;

/** Lists the orders and messages that need attention, and offers to retry failed ones. */
export const storefrontProblemsPage: SettingsPage = {
  path: "/storefront/problems",
  section: "storefront",
  async show(visit) {
    const { language, registry, query } = visit;
    const request = { limit: pageSize, pageToken: query.get("page") ?? "" };
    const [{ problems, nextPageToken }, { failedCount }] = await Promise.all([
      registry.storefront.listStorefrontProblems(request),
      registry.storefront.getStorefront({}),
    ]);
    const { title, lead, empty, retried } = problemListTexts[language];
    return {
      title,
      lead,
      notice: query.get("done") === "retried" ? retried : undefined,
      parent: { path: "/storefront", title: shellTexts[language].sections.storefront },
      content: html`<section class="panel">${rowList(
        problems.map((problem) => row(language, problem)),
        empty,
      )}</section>
${nextPageToken !== "" && html`<p class="pager">${link(`/storefront/problems?page=${encodeURIComponent(nextPageToken)}`, words[language].next, "button")}</p>`}
${failedCount > 0 && retryPanel(visit)}`,
    };
  },
  actions: {
    async retry({ registry }) {
      await registry.storefront.retryStorefront({});
      return { path: "/storefront/problems?done=retried" };
    },
  },
};

function retryPanel(visit: Visit): Html {
  const { retry, retryLead } = problemListTexts[visit.language];
  const form = new SettingsForm(visit, "retry");
  return panel(retry, form.frame("", { submit: retry, kind: "quiet" }), retryLead);
}

function row(language: Language, { id, topic, orderName, at, problems, hasFailed }: StorefrontProblem): Row {
  const text = problemListTexts[language];
  const isOrder = topic === "";
  const certificates = `/certificates?${new URLSearchParams({ q: orderName })}`;
  return {
    title: isOrder ? html`${text.order} ${isolated(orderName || id)}` : html`${text.message} ${code(topic)}`,
    state: hasFailed ? badge("bad", text.failed) : badge("warn", text.look),
    details: [
      moment(at, language),
      isOrder && orderName.startsWith("#") ? link(certificates, text.certificates) : undefined,
      isOrder ? undefined : code(id),
    ],
    more: html`${problems.map((problem) => html`<p>${sentence(problem, language)}</p>`)}`,
  };
}

/** Renders a problem in the language of the page, or in English if this version has no translation of it. */
function sentence(problem: string, language: Language): Html {
  const isTranslated = language === "en" || reasonKind(problem) !== undefined;
  return html`<bdi${isTranslated ? "" : html` lang="en"`}>${reasonText(problem, language)}</bdi>`;
}
