import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Command, InvalidArgumentError } from "commander";
import type { QuarantinedMessage } from "#gen/registry/v1/delivery_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { print, runs } from "./command.ts";

const shownBytes = 64;

/** `certctl quarantine list` */
export function addQuarantineList(parent: Command): void {
  const command = parent
    .command("list")
    .description(
      "print the messages that could not be read, newest first: time, subject, id, problem, first bytes",
    )
    .option("--limit <n>", "how many at the most, up to 100", countOf, 50);
  runs<{ limit: number }>(command, async (client, { limit }) => {
    const { messages } = await client.deliveries.listQuarantinedMessages({ limit });
    messages.forEach(printMessage);
  });
}

function printMessage({ quarantinedAt, subject, messageId, problem, data }: QuarantinedMessage): void {
  const time = quarantinedAt === undefined ? "" : timestampDate(quarantinedAt).toISOString();
  print(`${time}  ${printable(subject)}  ${printable(messageId) || "-"}  ${printable(problem)}`);
  const more = data.length > shownBytes ? ` … (${data.length} bytes)` : "";
  print(`    ${Buffer.from(data.subarray(0, shownBytes)).toString("hex")}${more}`);
}

function countOf(text: string): number {
  if (!/^([1-9]\d?|100)$/.test(text)) throw new InvalidArgumentError("It is not a number from 1 to 100.");
  return Number(text);
}
