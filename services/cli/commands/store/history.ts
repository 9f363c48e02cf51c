import type { StoreHistoryEntry } from "#gen/registry/v1/inspection_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { defineCommand } from "../../command/command.ts";
import { parseCount } from "../../command/option-values.ts";
import { timeWidthMin } from "../../output/fit-table.ts";
import type { ListFormat } from "../../output/output.ts";
import { readPages } from "../../registry-client/read-pages.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

const changeFormat: ListFormat<StoreHistoryEntry> = {
  columns: [
    { title: "TIME", value: ({ occurredAt }) => timestampText(occurredAt), widthMin: timeWidthMin },
    { title: "ACTION", value: ({ action }) => action, plainWidth: 16, isWhole: true },
    { title: "ACTOR", value: ({ actor }) => printable(actor) },
    { title: "DETAILS", value: ({ details }) => printable(factsText(details)) },
  ],
  toJson: ({ occurredAt, action, actor, details }) => ({ occurredAt: timeOrNull(occurredAt), action, actor, details }),
};

function factsText(details: StoreHistoryEntry["details"]): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}=${value}`)
    .join("  ");
}

export const storeHistory = defineCommand<{ readonly limit: number }>({
  name: "store history",
  description: "list the administrative changes to the store, newest first: time, action, actor, details",
  changes: "nothing",
  configure: (command) => command.option("--limit <n>", "maximum number of changes", parseCount, 50),
  async run({ selectStore, output, options: { limit } }) {
    const { inspection } = await selectStore();
    const read = async (count: number, pageToken = "") => {
      const { entries, nextPageToken } = await inspection.listStoreHistory({ limit: count, pageToken });
      return { items: entries, next: nextPageToken };
    };
    const hasMore = await readPages(limit, read, output.list(changeFormat), output.note);
    if (hasMore) output.note("There are older changes. Raise --limit.");
  },
});
