/** The thread in which {@link readMessageInTurn} reads messages, one at a time. */
import { parentPort } from "node:worker_threads";
import { hasCode } from "#shared/errors/service-error.ts";
import { adapters } from "./adapters.ts";
import { readMessage } from "./read-message.ts";
import type { LargeMessage, MessageReply } from "./read-message-in-turn.ts";

function replyTo({ platform, ...message }: LargeMessage): MessageReply {
  const adapter = adapters.find(({ name }) => name === platform);
  if (adapter === undefined) throw new TypeError(`unknown platform ${platform}`);
  try {
    return { message: readMessage(adapter, message) };
  } catch (error) {
    if (!hasCode(error, "bad_request")) throw error;
    const { message: text, field } = error;
    return { refusal: { text, field } };
  }
}

parentPort?.on("message", (large: LargeMessage) => parentPort?.postMessage(replyTo(large)));
