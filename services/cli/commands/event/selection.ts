import { type Command, Option } from "commander";
import { eventNames } from "#shared/events/event-name.ts";
import { outcomeNames } from "#shared/webhook/delivery-selection.ts";
import { parseCertificate, parseTime } from "../../command/option-values.ts";

/** Adds the options that select deliveries: those of a DeliverySelection. */
export function withSelection(command: Command): Command {
  const outcome = "only messages with this outcome; failed: any but delivered and skipped, and not sent again";
  return command
    .addOption(new Option("--event <event>", "only messages of this event").choices(eventNames))
    .option("--certificate <id or serial>", "only messages about this certificate", parseCertificate)
    .addOption(new Option("--outcome <outcome>", outcome).choices(outcomeNames))
    .option("--since <time>", "only messages from this time on, such as 2026-11-21T08:00:00Z", parseTime)
    .option("--until <time>", "only messages before this time", parseTime);
}
