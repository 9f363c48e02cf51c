import { type DeliverySelection, selectDeliveries } from "#shared/webhook/delivery-selection.ts";
import { defineCommand } from "../../command/command.ts";
import { parseCount } from "../../command/option-values.ts";
import { readPages } from "../../registry-client/read-pages.ts";
import { deliveryFormat } from "./format.ts";
import { withSelection } from "./selection.ts";

export const eventList = defineCommand<DeliverySelection & { readonly limit: number }>({
  name: "event list",
  changes: "nothing",
  description:
    "list the webhook messages of the store's events, newest first (kept for 30 days by default): time, event id, " +
    "certificate, event, outcome, HTTP status, duration, address; indented below: requester of a manual send, " +
    "reason, duration of each phase, excerpt of the response",
  configure: (command) => withSelection(command).option("--limit <n>", "maximum number of messages", parseCount, 50),
  async run({ selectStore, output, options: { limit, ...options } }) {
    const { inspection } = await selectStore();
    const query = selectDeliveries(options);
    const read = async (count: number, pageToken = "") => {
      const { deliveries, nextPageToken } = await inspection.listDeliveries({ ...query, limit: count, pageToken });
      return { items: deliveries, next: nextPageToken };
    };
    const hasMore = await readPages(limit, read, output.list(deliveryFormat), output.note);
    if (hasMore) output.note("More messages match. Raise --limit, or narrow the list.");
  },
});
