import type { StoreHistoryEntry } from "#gen/registry/v1/inspection_service_pb.js";
import { html } from "../../pages/html.ts";
import { code, isolated, link, moment, rowList } from "../components/content.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { shellTexts } from "../shell/texts.ts";
import { words } from "../words/texts.ts";
import { actions, texts } from "./texts.ts";

const pageSize = 50;

/** Lists who changed what in the store. */
export const historyPage: SettingsPage = {
  path: "/history",
  section: "history",
  async show(visit) {
    const { registry, query, language } = visit;
    const request = { limit: pageSize, pageToken: query.get("page") ?? "" };
    const { entries, nextPageToken } = await registry.store.listStoreHistory(request);
    return {
      title: shellTexts[language].sections.history,
      lead: texts[language].lead,
      content: html`<section class="panel">${rowList(
        entries.map((entry) => row(visit, entry)),
        "",
      )}</section>
${nextPageToken !== "" && html`<p class="pager">${link(`/history?page=${encodeURIComponent(nextPageToken)}`, words[language].next, "button")}</p>`}`,
    };
  },
};

function row({ language }: Visit, { action, actor, occurredAt, details }: StoreHistoryEntry) {
  // A later version of the registry may write other actions.
  const name = texts[language].actions[actions.indexOf(action)] ?? action;
  const facts = Object.entries(details).filter(([, value]) => value !== "");
  return {
    title: name,
    details: [
      moment(occurredAt, language),
      isolated(actor),
      ...facts.map(([fact, value]) => code(`${fact}: ${value}`)),
    ],
  };
}
