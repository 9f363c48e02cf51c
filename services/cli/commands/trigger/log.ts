import { Option } from "commander";
import { TriggerDeliveryState } from "#gen/registry/v1/trigger_service_pb.js";
import { defineCommand } from "../../command/command.ts";
import { enumChoices } from "../../command/enum-names.ts";
import { parseCount } from "../../command/option-values.ts";
import { readPages } from "../../registry-client/read-pages.ts";
import { triggerDeliveryFormat } from "./format.ts";

const states = enumChoices(TriggerDeliveryState);

export const triggerLog = defineCommand<{ readonly state?: string; readonly limit: number }>({
  name: "trigger log",
  changes: "nothing",
  description:
    "list the events for workflow triggers, newest first (kept for 30 days by default): time, event id, certificate, " +
    "event, state, attempts with the last result and the next attempt; indented below: reason, excerpt of the response",
  configure: (command) =>
    command
      .argument("[trigger-id]", "only the events of this trigger")
      .addOption(new Option("--state <state>", "only events in this state").choices([...states.keys()]))
      .option("--limit <n>", "maximum number of events", parseCount, 50),
  async run({ selectStore, output, options: { state = "", limit }, args: [triggerId = ""] }) {
    const { triggers } = await selectStore();
    const query = { triggerId, state: states.get(state) ?? TriggerDeliveryState.UNSPECIFIED };
    const read = async (count: number, pageToken = "") => {
      const { deliveries, nextPageToken } = await triggers.listTriggerDeliveries({ ...query, limit: count, pageToken });
      return { items: deliveries, next: nextPageToken };
    };
    const hasMore = await readPages(limit, read, output.list(triggerDeliveryFormat), output.note);
    if (hasMore) output.note("More events match. Raise --limit, or narrow the list.");
  },
});
