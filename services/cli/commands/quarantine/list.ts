import { InvalidArgumentError } from "commander";
import type { QuarantinedMessage } from "#gen/registry/v1/delivery_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { defineCommand } from "../../command/command.ts";
import { timeWidthMin } from "../../output/fit-table.ts";
import type { ListFormat } from "../../output/output.ts";
import { reasonDocument } from "../../output/reason-document.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

const shownBytes = 64;

export const quarantineList = defineCommand<{ readonly limit: number }>({
  name: "quarantine list",
  changes: "nothing",
  description:
    "list quarantined messages, newest first: time, subject, id, problem; indented below: first bytes in hex and, " +
    "for an event, the command that sends it again",
  configure: (command) => command.option("--limit <n>", "maximum number of messages, 1 to 100", parseLimit, 50),
  async run({ client, output, options: { limit } }) {
    const { messages } = await client.deliveries.listQuarantinedMessages({ limit });
    messages.forEach(output.list(messageFormat));
  },
});

const messageFormat: ListFormat<QuarantinedMessage> = {
  columns: [
    { title: "TIME", value: ({ quarantinedAt }) => timestampText(quarantinedAt), widthMin: timeWidthMin },
    { title: "SUBJECT", value: ({ subject }) => printable(subject) },
    { title: "ID", value: ({ messageId }) => printable(messageId) || "-", isWhole: true },
    { title: "PROBLEM", value: ({ problem }) => printable(problem?.text ?? "") },
  ],
  details({ subject, messageId, data }) {
    const more = data.length > shownBytes ? ` … (${data.length} bytes)` : "";
    const bytes = `${Buffer.from(data.subarray(0, shownBytes)).toString("hex")}${more}`;
    const store = storeIn(subject, messageId);
    if (store === undefined) return [bytes];
    return [bytes, `to send the event again: certctl --store ${store} event redeliver ${messageId}`];
  },
  toJson: ({ quarantinedAt, subject, messageId, problem, data }) => ({
    quarantinedAt: timeOrNull(quarantinedAt),
    subject,
    messageId: messageId || null,
    problem: reasonDocument(problem),
    dataBase64: Buffer.from(data).toString("base64"),
    storeId: storeIn(subject, messageId) ?? null,
  }),
};

/** Returns the store id in an event's subject (services/shared/nats/event-stream.ts); undefined for other messages. */
function storeIn(subject: string, eventId: string): string | undefined {
  const [, , store = "", , id] = subject.split(".");
  return id === eventId && /^evt_[0-9a-z]+$/.test(id) && /^sto_[0-9a-z]+$/.test(store) ? store : undefined;
}

function parseLimit(text: string): number {
  if (!/^([1-9]\d?|100)$/.test(text)) throw new InvalidArgumentError("Give a whole number from 1 to 100.");
  return Number(text);
}
