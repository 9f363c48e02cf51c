import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { ServiceError } from "#shared/errors/service-error.ts";
import { Places } from "#shared/limits/places.ts";
import { tooManyReceived } from "../http/receive-body.ts";
import type { PlatformAdapter } from "./platform-adapter.ts";
import { type Message, readMessage, type SignedMessage } from "./read-message.ts";

/** A message and the name of its platform, as the thread receives it. */
export interface LargeMessage extends SignedMessage {
  readonly platform: string;
}

/** What the thread replies: the message, or the properties of a `bad_request` error. */
export type MessageReply =
  | { readonly message: Message | undefined }
  | { readonly refusal: { readonly text: string; readonly field: string | undefined } };

// An order with 30 lines is about as large. Reading a smaller body takes less than 20 ms, and one of 5 MiB up to 700.
const largeFromBytes = 128 * 1_024;
// The bodies that wait are in memory, whose limits collectBodies ensures.
const waitingMax = 1_000;
const places = new Places({ inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax }, () => tooManyReceived("messages"));

// The largest bodies of the tests need less than 24 MiB.
const resourceLimits = { maxOldGenerationSizeMb: 128 };

interface Thread {
  readonly worker: Worker;
  /** Aborts when the thread has ended. */
  readonly ended: AbortSignal;
}

let thread: Thread | undefined;

/**
 * Reads a message as {@link readMessage} does. Reads a large one in a thread, so that its parsing delays no other
 * request; one at a time, so that the memory for parsed bodies is bounded. Stores take turns.
 *
 * @throws ServiceError as readMessage does, and `unavailable` if too many messages wait for the thread
 */
export async function readMessageInTurn(
  adapter: PlatformAdapter,
  message: SignedMessage,
): Promise<Message | undefined> {
  if (message.body.length < largeFromBytes) return readMessage(adapter, message);
  const large = { ...message, platform: adapter.name };
  return await places.run(message.headers.shop ?? "", () => readInThread(large));
}

async function readInThread(large: LargeMessage): Promise<Message | undefined> {
  thread ??= startThread();
  const { worker, ended } = thread;
  worker.postMessage(large);
  // Rejects if the thread ends, with an error or without.
  const [reply]: MessageReply[] = await once(worker, "message", { signal: ended });
  if (reply === undefined) throw new TypeError("the thread replied without a reply");
  if ("message" in reply) return reply.message;
  const { text, field } = reply.refusal;
  throw new ServiceError("bad_request", text, field === undefined ? {} : { field });
}

function startThread(): Thread {
  const worker = new Worker(new URL("./message-worker.ts", import.meta.url), { resourceLimits });
  // The thread does not keep the process running.
  worker.unref();
  const end = new AbortController();
  const started = { worker, ended: end.signal };
  const replace = () => {
    if (thread === started) thread = undefined;
  };
  // Before the end: the rejection of the message at fault sends the next one to a thread at once.
  worker.once("error", replace);
  worker.once("exit", () => {
    replace();
    end.abort();
  });
  return started;
}
