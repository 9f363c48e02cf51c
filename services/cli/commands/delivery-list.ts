import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type Command, Option } from "commander";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { chooseStore } from "../registry-client/choose-store.ts";
import { runs } from "./command.ts";
import { countOf, timeOf } from "./option-values.ts";
import { printDelivery } from "./print-delivery.ts";

interface ListOptions {
  readonly outcome?: string;
  readonly since?: Timestamp;
  readonly until?: Timestamp;
  readonly limit: number;
}

const pageMax = 100;

const outcomes = new Map(
  Object.entries(OutcomeKind).flatMap(([name, kind]) =>
    typeof kind === "number" && kind !== OutcomeKind.UNSPECIFIED ? [[name.toLowerCase(), kind]] : [],
  ),
);

/** `certctl delivery list` */
export function addDeliveryList(parent: Command): void {
  const command = parent
    .command("list")
    .description(
      "print what became of webhook messages in the last 30 days, newest first: time, event id, certificate, event, " +
        "outcome, status, milliseconds, address; below it why, how long each step took, what the receiver replied",
    )
    .addOption(new Option("--outcome <outcome>", "only what ended so").choices([...outcomes.keys()]))
    .option("--since <time>", "only from this time on, like 2026-11-21T08:00:00Z", timeOf)
    .option("--until <time>", "only before this time", timeOf)
    .option("--limit <n>", "how many at the most", countOf, 50);
  runs<ListOptions>(command, async (client, { store, limit, outcome, since, until }) => {
    const storeId = await chooseStore(client, store);
    const kind = outcomes.get(outcome ?? "") ?? OutcomeKind.UNSPECIFIED;
    const query = { storeId, outcome: kind, ...(since && { since }), ...(until && { until }) };
    let pageToken = "";
    for (let left = limit; left > 0; ) {
      const page = { limit: Math.min(left, pageMax), pageToken };
      const { deliveries, nextPageToken } = await client.inspection.listDeliveries({ ...query, ...page });
      deliveries.forEach(printDelivery);
      if (nextPageToken === "") return;
      left -= deliveries.length;
      pageToken = nextPageToken;
    }
  });
}
