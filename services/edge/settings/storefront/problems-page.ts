import type { StorefrontProblem } from "#gen/registry/v1/storefront_service_pb.js";
import { type Html, html, isolated } from "../../pages/html.ts";
import { badge, code, link, listPanel, moment, panel, type Row } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { shownReason } from "../components/shown-reason.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";

const pageSize = 25;

/** Lists the orders and messages that need attention, and offers to retry failed ones. */
export const storefrontProblemsPage: SettingsPage = {
  path: "/storefront/problems",
  section: "storefront",
  async show(visit) {
    const { language, text, registry, query } = visit;
    const request = { limit: pageSize, pageToken: query.get("page") ?? "" };
    const [{ problems, nextPageToken }, { failedCount }] = await Promise.all([
      registry.storefront.listStorefrontProblems(request),
      registry.storefront.getStorefront({}),
    ]);
    return {
      title: text("settings.storefront.problemList.title"),
      lead: text("settings.storefront.problemList.lead"),
      notice: query.get("done") === "retried" ? text("settings.storefront.problemList.retried") : undefined,
      parent: { path: "/storefront", title: text("settings.shell.sections.storefront") },
      content: html`${listPanel(
        problems.map((problem) => row(visit, problem)),
        text("settings.storefront.problemList.empty"),
        nextPageToken && `/storefront/problems?page=${encodeURIComponent(nextPageToken)}`,
        language,
      )}
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
  const form = new SettingsForm(visit, "retry");
  return panel(
    visit.text("settings.storefront.problemList.retry"),
    form.frame("", { submit: visit.text("settings.storefront.problemList.retry"), kind: "quiet" }),
    visit.text("settings.storefront.problemList.retryLead"),
  );
}

function row({ language, text }: Visit, { id, topic, orderName, at, problems, hasFailed }: StorefrontProblem): Row {
  const isOrder = topic === "";
  const certificates = `/certificates?${new URLSearchParams({ q: orderName })}`;
  return {
    title: isOrder
      ? html`${text("settings.storefront.problemList.order")} ${isolated(orderName || id)}`
      : html`${text("settings.storefront.problemList.message")} ${code(topic)}`,
    state: hasFailed
      ? badge("bad", text("settings.storefront.problemList.failed"))
      : badge("warn", text("settings.storefront.problemList.look")),
    details: [
      moment(at, language),
      isOrder && orderName.startsWith("#")
        ? link(certificates, text("settings.storefront.problemList.certificates"))
        : undefined,
      isOrder ? undefined : code(id),
    ],
    more: html`${problems.map((problem) => html`<p>${shownReason(problem, language)}</p>`)}`,
  };
}
