import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { chooseStore } from "../registry-client/choose-store.ts";
import { findCertificate } from "../registry-client/find-certificate.ts";
import { print, runs } from "./command.ts";
import { enumName } from "./enum-name.ts";

/** `certctl certificate history <id or serial>` */
export function addCertificateHistory(parent: Command): void {
  const command = parent
    .command("history")
    .description("print what happened to a certificate, oldest first: time, event, cause, event id, actor")
    .argument("<id or serial>", "a certificate of the store");
  runs(command, async (client, { store }, [selector = ""]) => {
    const storeId = await chooseStore(client, store);
    const { id: certificateId } = await findCertificate(client, storeId, selector);
    const { entries } = await client.inspection.getHistory({ storeId, certificateId });
    for (const { occurredAt, type, cause, eventId, actor } of entries) {
      const time = occurredAt === undefined ? "" : timestampDate(occurredAt).toISOString();
      const event = enumName(EventType, type);
      print(`${time}  ${event.padEnd(11)}  ${cause.padEnd(17)}  ${eventId}  ${actor}`);
    }
  });
}
