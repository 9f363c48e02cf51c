import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { findCertificate } from "../registry-client/find-certificate.ts";
import { timestampText } from "../timestamp.ts";
import { defineCommand } from "./command.ts";
import { enumName } from "./enum-names.ts";
import { print } from "./print.ts";

/** `certctl certificate history <id or serial>` */
export const certificateHistory = defineCommand({
  name: "certificate history",
  changes: "nothing",
  description: "list the events of a certificate, oldest first: time, event, cause, event id, actor",
  configure: (command) => command.argument("<id or serial>", "a certificate of the store"),
  async run({ client, storeId, args: [selector = ""] }) {
    const id = await storeId();
    const { id: certificateId } = await findCertificate(client, id, selector);
    const { entries } = await client.inspection.getHistory({ storeId: id, certificateId });
    for (const { occurredAt, type, cause, eventId, actor } of entries) {
      const event = enumName(EventType, type).padEnd(11);
      print(`${timestampText(occurredAt)}  ${event}  ${cause.padEnd(17)}  ${eventId}  ${actor}`);
    }
  },
});
