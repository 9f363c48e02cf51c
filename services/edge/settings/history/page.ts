import type { StoreHistoryEntry } from "#gen/registry/v1/inspection_service_pb.js";
import { receivedText, textsFor } from "#shared/texts/texts.ts";
import { type Html, html } from "../../pages/html.ts";
import { code, isolated, listPanel, moment } from "../components/content.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";

const pageSize = 50;

/** Lists who changed what in the store. */
export const historyPage: SettingsPage = {
  path: "/history",
  section: "history",
  async show(visit) {
    const { registry, query, language } = visit;
    const request = { limit: pageSize, pageToken: query.get("page") ?? "" };
    const { entries, nextPageToken } = await registry.inspection.listStoreHistory(request);
    const keyLabels = await keyLabelsOf(visit, entries);
    return {
      title: textsFor(language)("settings.shell.sections.history"),
      lead: textsFor(language)("settings.history.lead"),
      content: listPanel(
        entries.map((entry) => row(visit, entry, keyLabels)),
        "",
        {
          path: nextPageToken && `/history?page=${encodeURIComponent(nextPageToken)}`,
          label: textsFor(language)("settings.words.next"),
        },
      ),
    };
  },
};

/** Returns the labels of the store's valid keys by key id, if an entry names a key; revoked keys have no label. */
async function keyLabelsOf({ registry }: Visit, entries: readonly StoreHistoryEntry[]) {
  if (!entries.some(({ details }) => details.keyId !== undefined)) return new Map<string, string>();
  const { keys } = await registry.stores.listApiKeys({});
  return new Map(keys.map(({ keyId, label }) => [keyId, label]));
}

function row(
  { language }: Visit,
  { action, actor, occurredAt, details }: StoreHistoryEntry,
  keyLabels: ReadonlyMap<string, string>,
) {
  // A later version of the registry may write other actions.
  const name = receivedText(language, `settings.history.actions.${action.replaceAll(".", "_")}`) ?? action;
  const facts = Object.entries(details).filter(([, value]) => value !== "");
  return {
    title: name,
    details: [
      moment(occurredAt, language),
      isolated(actor),
      ...facts.map(([fact, value]): Html => {
        const label = receivedText(language, `settings.history.details.${fact}`) ?? fact;
        const keyLabel = keyLabels.get(value);
        return html`${label} ${keyLabel === undefined ? "" : html`${isolated(keyLabel)} `}${code(value)}`;
      }),
    ],
  };
}
