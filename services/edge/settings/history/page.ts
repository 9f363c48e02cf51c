import type { StoreHistoryEntry } from "#gen/registry/v1/inspection_service_pb.js";
import { receivedText } from "#shared/texts/texts.ts";
import { listPanel, moment } from "../components/content.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { actorWord } from "../words/actor.ts";
import { detail, type NamesById } from "./detail.ts";

const pageSize = 50;

/** Lists who changed what in the store. */
export const historyPage: SettingsPage = {
  path: "/history",
  section: "history",
  async show(visit) {
    const { registry, query, language, text } = visit;
    const request = { limit: pageSize, pageToken: query.get("page") ?? "" };
    const { entries, nextPageToken } = await registry.inspection.listStoreHistory(request);
    const names = await namesOf(visit, entries);
    return {
      title: text("settings.shell.sections.history"),
      lead: text("settings.history.lead"),
      content: listPanel(
        entries.map((entry) => row(visit, entry, names)),
        "",
        nextPageToken && `/history?page=${encodeURIComponent(nextPageToken)}`,
        language,
      ),
    };
  },
};

/** Returns the labels of the store's valid keys and the servers of its triggers, if an entry has their ids. */
async function namesOf({ registry }: Visit, entries: readonly StoreHistoryEntry[]): Promise<NamesById> {
  const mentions = (...facts: string[]) =>
    entries.some(({ details }) => facts.some((fact) => Object.hasOwn(details, fact)));
  const [{ keys }, { triggers }] = await Promise.all([
    mentions("keyId", "newKeyId") ? registry.stores.listApiKeys({}) : { keys: [] },
    mentions("trigger") ? registry.triggers.listTriggers({}) : { triggers: [] },
  ]);
  return new Map([
    ...keys.map(({ keyId, label }) => [keyId, label] as const),
    ...triggers.map(({ triggerId, url }) => [triggerId, new URL(url).host] as const),
  ]);
}

function row({ language }: Visit, { action, actor, occurredAt, details }: StoreHistoryEntry, names: NamesById) {
  return {
    // A later version of the registry may write other actions.
    title: receivedText(language, `settings.history.actions.${action.replaceAll(".", "_")}`) ?? action,
    details: [
      moment(occurredAt, language),
      actorWord(actor, language),
      ...Object.entries(details).map(([fact, value]) => detail(fact, value, language, names)),
    ],
  };
}
