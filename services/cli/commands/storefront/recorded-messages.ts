import { createHash } from "node:crypto";
import { z } from "zod";
import { parseJson } from "#shared/text/parse-json.ts";
import { UsageError } from "../../output/usage-error.ts";

const recordedMessage = z.strictObject({
  topic: z.string().min(1),
  /** The body: an object, or the raw text. */
  payload: z.union([z.string(), z.record(z.string(), z.unknown())]),
  /** Default: the store to which the file is replayed. */
  shop: z.string().min(1).optional(),
  /** Default: derived from the line, so that the connector recognizes the messages of a repeated replay. */
  webhook_id: z.string().optional(),
  triggered_at: z.string().optional(),
});

/** A message in a file of recorded messages. */
export interface RecordedMessage {
  /** Number of the line in the file, from 1. */
  readonly line: number;
  readonly topic: string;
  readonly body: string;
  readonly shop: string | undefined;
  readonly webhookId: string;
  readonly triggeredAt: string | undefined;
}

/** Reads recorded messages: one JSON document per line. @throws UsageError naming the first line that is invalid */
export function readRecordedMessages(text: string): RecordedMessage[] {
  return text.split("\n").flatMap((content, index) => {
    const line = index + 1;
    if (content.trim() === "") return [];
    const json = parseJson(content);
    if (json === undefined) throw new UsageError(`Line ${line} is not JSON.`);
    const parsed = recordedMessage.safeParse(json);
    if (!parsed.success)
      throw new UsageError(`Line ${line} is not a recorded message: ${z.prettifyError(parsed.error)}`);
    const { topic, payload, shop, webhook_id, triggered_at: triggeredAt } = parsed.data;
    const body = typeof payload === "string" ? payload : JSON.stringify(payload);
    return [{ line, topic, body, shop, triggeredAt, webhookId: webhook_id ?? idOf(content, line) }];
  });
}

function idOf(content: string, line: number): string {
  return `replay-${createHash("sha256").update(`${line} ${content}`).digest("hex").slice(0, 32)}`;
}
