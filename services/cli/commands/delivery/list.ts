import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Option } from "commander";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { defineCommand } from "../../command/command.ts";
import { enumChoices } from "../../command/enum-names.ts";
import { parseCount, parseTime } from "../../command/option-values.ts";
import { findCertificate } from "../../registry-client/find-certificate.ts";
import { deliveryFormat } from "./format.ts";

interface ListOptions {
  readonly certificate?: string;
  readonly outcome?: string;
  readonly since?: Timestamp;
  readonly until?: Timestamp;
  readonly limit: number;
}

const pageMax = 100;
const outcomes = enumChoices(OutcomeKind);

/** `certctl delivery list` */
export const deliveryList = defineCommand<ListOptions>({
  name: "delivery list",
  changes: "nothing",
  description:
    "list the store's webhook messages, newest first (kept for 30 days by default): time, event id, certificate, " +
    "event, outcome, HTTP status, duration, address; indented below: requester of a manual send, reason, " +
    "duration of each phase, excerpt of the response",
  configure: (command) =>
    command
      .option("--certificate <id or serial>", "only messages about this certificate")
      .addOption(new Option("--outcome <outcome>", "only messages with this outcome").choices([...outcomes.keys()]))
      .option("--since <time>", "only messages from this time on, such as 2026-11-21T08:00:00Z", parseTime)
      .option("--until <time>", "only messages before this time", parseTime)
      .option("--limit <n>", "maximum number of messages", parseCount, 50),
  async run({ selectStore, output, options: { certificate, limit, outcome, since, until } }) {
    const kind = outcomes.get(outcome ?? "") ?? OutcomeKind.UNSPECIFIED;
    const store = await selectStore();
    const query = {
      ...(certificate && { certificateId: (await findCertificate(store, certificate)).id }),
      outcome: kind,
      ...(since && { since }),
      ...(until && { until }),
    };
    const show = output.list(deliveryFormat);
    let pageToken = "";
    for (let left = limit; left > 0; ) {
      const page = { limit: Math.min(left, pageMax), pageToken };
      const { deliveries, nextPageToken } = await store.inspection.listDeliveries({ ...query, ...page });
      deliveries.forEach(show);
      if (nextPageToken === "") return;
      left -= deliveries.length;
      pageToken = nextPageToken;
    }
    output.note("More messages match. Raise --limit, or narrow the list.");
  },
});
