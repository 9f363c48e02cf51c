import { RegistryError } from "../errors.ts";
import { type Clock, systemClock } from "../transport/clock.ts";
import { retryDelayMs } from "../transport/retry-delay.ts";
import { parseMessage } from "../webhooks/webhook-message.ts";
import { type CopiedMessage, type ListenPage, type ListenTarget, readMessages } from "./listen-api.ts";

/** What became of one message. */
export interface ForwardedMessage {
  /** The id of the delivery: `evt_…` for an event, `tst_…` for a test. */
  readonly deliveryId: string;
  readonly event: string;
  readonly certificateId: string;
  /** The status of the local server's response; undefined without one. */
  readonly status: number | undefined;
  /** Why there is no status; undefined if there is one, or if messages are not forwarded. */
  readonly problem: string | undefined;
  /** How long the local server took, in milliseconds. */
  readonly durationMs: number;
}

/** Options of {@link listen}. */
export interface ListenOptions extends ListenTarget {
  /** The URL of the local server that receives the messages. Default: they are only reported. */
  readonly forwardTo?: string | undefined;
  /** Called once the connection works. */
  readonly onReady: (page: Pick<ListenPage, "signingSecret" | "expiresAt">) => void;
  /** Called after each message. */
  readonly onMessage: (message: ForwardedMessage) => void;
  /** Called with what the developer should know: a lost connection, or messages that were missed. */
  readonly onNote: (text: string) => void;
  /** Default: the system's clock. */
  readonly clock?: Clock;
}

// As for deliveries (INTERFACE.md §6, rule 1).
const replyTimeoutMs = 8_000;
const pageMax = 100;
const pauseMs = 500;

/**
 * Receives copies of a store's webhook messages and forwards them to a local server, one after another and each once.
 * Continues after the last message when the connection is lost, however long that lasts: `getJson` would give up.
 *
 * @throws ApiError when the service refuses the token; the signal's reason when the caller aborts; TypeError for a URL
 * that does not begin with `https://` or `http://`
 */
export async function listen(options: ListenOptions): Promise<never> {
  const { onReady, onMessage, onNote, signal, clock = systemClock } = options;
  const forwardTo = options.forwardTo === undefined ? undefined : localUrl(options.forwardTo);
  let after: number | undefined;
  for (let attempt = 1; ; attempt++) {
    let page: ListenPage;
    try {
      page = await readMessages(options, after);
    } catch (error) {
      const waitMs = error instanceof RegistryError ? retryDelayMs(error, attempt) : undefined;
      if (waitMs === undefined) throw error;
      onNote(`${messageOf(error)}; trying again`);
      await clock.sleep(waitMs, signal);
      continue;
    }
    attempt = 0;
    if (after === undefined) onReady(page);
    if (page.missed > 0) onNote(`Up to ${page.missed} messages are missing here. Read the list to catch up.`);
    for (const message of page.messages) onMessage(await forward(message, forwardTo, clock, signal));
    after = page.next;
    // Keeps a listener of a busy store within its two requests a second; a full page means that more are waiting.
    if (page.messages.length < pageMax) await clock.sleep(pauseMs, signal);
  }
}

/** Returns the line that reports a message to a developer. */
export function lineOf({ event, certificateId, deliveryId, status, problem, durationMs }: ForwardedMessage): string {
  const outcome = status === undefined ? problem : `${status} in ${Math.round(durationMs)} ms`;
  return [event, certificateId, deliveryId, ...(outcome === undefined ? [] : [`-> ${outcome}`])].join("  ");
}

async function forward(
  { headers, body }: CopiedMessage,
  url: URL | undefined,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<ForwardedMessage> {
  const bytes = new TextEncoder().encode(body);
  const message = parseMessage(bytes);
  const startedAt = clock.now();
  const reply = url === undefined ? {} : await post(url, headers, bytes, signal);
  return {
    deliveryId: headers["X-Service-Delivery"] ?? "",
    event: message?.event ?? "unknown",
    certificateId: message?.certificate.id ?? "",
    status: reply.status,
    problem: reply.problem,
    durationMs: clock.now() - startedAt,
  };
}

interface Reply {
  readonly status?: number;
  readonly problem?: string;
}

async function post(
  url: URL,
  headers: CopiedMessage["headers"],
  body: Uint8Array<ArrayBuffer>,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  const timeout = AbortSignal.timeout(replyTimeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    signal?.throwIfAborted();
    return { problem: timeout.aborted ? `no reply within ${replyTimeoutMs / 1_000} seconds` : messageOf(error) };
  }
}

/** Returns what failed; for an error of `fetch`, its cause, because its own message is always the same. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (error instanceof RegistryError || !(cause instanceof Error)) return error.message;
  return cause.message === "" && "code" in cause ? String(cause.code) : cause.message;
}

function localUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError(`${text} is not a URL that begins with http:// or https://`);
  return url;
}
