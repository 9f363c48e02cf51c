import type { StoreHistoryEntry } from "#gen/registry/v1/inspection_service_pb.js";
import { code, isolated, listPanel, moment } from "../components/content.ts";
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
      content: listPanel(
        entries.map((entry) => row(visit, entry)),
        "",
        { path: nextPageToken && `/history?page=${encodeURIComponent(nextPageToken)}`, label: words[language].next },
      ),
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
