import { Option } from "commander";
import { TriggerFormat } from "#gen/registry/v1/trigger_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { eventNames, eventTypeOf } from "#shared/events/event-name.ts";
import { defineCommand } from "../../command/command.ts";
import { enumChoices } from "../../command/enum-names.ts";
import { triggerDocument, triggerLines } from "./format.ts";

const formats = enumChoices(TriggerFormat);

export const triggerCreate = defineCommand<{ readonly format: string; readonly event?: readonly string[] }>({
  name: "trigger create",
  changes: "store",
  description: "create a workflow trigger; events are sent at least once, with retries for up to 24 hours by default",
  configure: (command) =>
    command
      .argument("<url>", "https:// URL of a public host")
      .addOption(
        new Option(
          "--format <format>",
          "message format: 'cloudevents' sends the certificate, 'profile' its owner's profile for mailing tools",
        )
          .choices([...formats.keys()])
          .default("cloudevents"),
      )
      .addOption(new Option("--event <event...>", "only these events; default: all events").choices(eventNames)),
  async run({ selectStore, output, options, args: [url = ""] }) {
    const { triggers } = await selectStore();
    const request = {
      url,
      format: formats.get(options.format) ?? TriggerFormat.UNSPECIFIED,
      events: (options.event ?? []).flatMap((name) => eventTypeOf(name) ?? []),
    };
    const { trigger, secret } = await triggers.createTrigger(request);
    if (trigger === undefined) throw new ServiceError("internal", "The registry's response contains no trigger.");
    triggerLines(trigger).forEach(output.note);
    output.note("the trigger's signing secret (Standard Webhooks) is shown only once:");
    output.result({ trigger: triggerDocument(trigger), secret }, secret);
  },
});
