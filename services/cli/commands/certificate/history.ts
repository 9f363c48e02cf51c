import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { HistoryEntry } from "#gen/registry/v1/inspection_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { defineCommand } from "../../command/command.ts";
import { enumName } from "../../command/enum-names.ts";
import { timeWidthMin } from "../../output/fit-table.ts";
import type { ListFormat } from "../../output/output.ts";
import { findCertificate } from "../../registry-client/find-certificate.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

const eventName = ({ type, change }: HistoryEntry) => change || enumName(EventType, type);

const historyFormat: ListFormat<HistoryEntry> = {
  columns: [
    { title: "TIME", value: ({ occurredAt }) => timestampText(occurredAt), widthMin: timeWidthMin },
    { title: "EVENT", value: eventName, plainWidth: 11, isWhole: true },
    { title: "CAUSE", value: ({ cause }) => cause, plainWidth: 17 },
    { title: "EVENT ID", value: ({ eventId }) => eventId, isWhole: true },
    { title: "ACTOR", value: ({ actor }) => printable(actor) },
  ],
  toJson: (entry) => {
    const { occurredAt, cause, eventId, actor } = entry;
    return { occurredAt: timeOrNull(occurredAt), event: eventName(entry), cause, eventId, actor };
  },
};

export const certificateHistory = defineCommand({
  name: "certificate history",
  changes: "nothing",
  description: "list a certificate's events and other changes, oldest first: time, event, cause, event id, actor",
  configure: (command) => command.argument("<id or serial>", "id or serial number of a certificate in the store"),
  async run({ selectStore, output, args: [selector = ""] }) {
    const store = await selectStore();
    const { id: certificateId } = await findCertificate(store, selector);
    const { entries } = await store.inspection.getHistory({ certificateId });
    entries.forEach(output.list(historyFormat));
  },
});
