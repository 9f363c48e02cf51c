import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { type AttemptPhases, AttemptTrace } from "./attempt-trace.ts";
import { classifyStatus } from "./classify-status.ts";
import { connectionFailed, DeliveryFailure, toDeliveryFailure } from "./delivery-failure.ts";
import { type ExchangeOptions, exchange } from "./exchange.ts";
import { type ConnectOptions, openConnection, receiverOf } from "./open-connection.ts";
import { replyExcerpt } from "./reply-excerpt.ts";

/** A message to send with one POST. */
export interface OutgoingMessage {
  readonly url: string;
  readonly body: Buffer;
  /** Returns the request line and the headers. */
  readonly head: (url: URL) => Buffer;
  /** Returns the strings to redact in the receiver's reply. */
  readonly secrets: (url: URL) => readonly string[];
  /**
   * Returns whether the message may still be sent. Called when the connection is open, and again immediately before the
   * first byte is written. Default: always true.
   */
  readonly mayBegin?: (() => boolean) | undefined;
}

/** The result of an attempt. */
export interface Attempt {
  readonly kind: OutcomeKind;
  /** The final HTTP status; 0 if the receiver sent none. */
  readonly httpStatus: number;
  /** Milliseconds from the start of the attempt to the final status line or the failure. */
  readonly durationMs: number;
  readonly reason: Reason;
  readonly phases: AttemptPhases;
  /** The receiver's IP address; the empty string if no connection was established. */
  readonly remoteAddress: string;
  /** The beginning of the reply's body, sanitized and redacted; may be the empty string. */
  readonly replyExcerpt: string;
  /** The headers and the body of a test message that was sent. */
  readonly sentRequest?: string;
}

/** Returns the result of an attempt that had nothing to send. */
export function skippedAttempt(why: Reason): Attempt {
  const noReply = { httpStatus: 0, durationMs: 0, phases: {}, remoteAddress: "", replyExcerpt: "" };
  return { kind: OutcomeKind.SKIPPED, reason: why, ...noReply };
}

/** The options of {@link createSend}. */
export type SendOptions = ConnectOptions & ExchangeOptions;

/**
 * Sends a message with at most one POST. Reports a failure in the {@link Attempt}; never rejects.
 *
 * @param signal interrupts the attempt; if its reason is a DeliveryFailure, that becomes the outcome
 */
export type Send = (message: OutgoingMessage, signal: AbortSignal) => Promise<Attempt>;

/** Creates the function that sends messages. */
export function createSend(options: SendOptions): Send {
  return async (message, signal) => {
    const trace = new AttemptTrace();
    try {
      return toAttempt(trace, await post(message, options, trace, signal));
    } catch (error) {
      const failure = toDeliveryFailure(error);
      return toAttempt(trace, { kind: failure.kind, reason: failure.reason, httpStatus: 0, replyExcerpt: "" });
    }
  };
}

async function post(message: OutgoingMessage, options: SendOptions, trace: AttemptTrace, signal: AbortSignal) {
  const url = URL.parse(message.url) ?? undefined;
  if (url?.protocol !== "https:") throw connectionFailed(reason("url_not_https"));
  const head = message.head(url);
  const refusal = () => (message.mayBegin?.() === false ? sentTooLate() : undefined);
  const { sessions } = options;
  const receiver = receiverOf(url).name;
  const socket = await openConnection(url, { ...options, refusal }, trace, signal);
  const isResumed = socket.isSessionReused();
  try {
    // The process may have been paused at any time. The connection calls `refusal` again immediately before it writes
    // the first byte, which in TLS 1.3 happens one turn of the event loop later.
    const failure = refusal();
    if (failure !== undefined) {
      socket.destroy();
      throw failure;
    }
    const { status, body } = await exchange(socket, Buffer.concat([head, message.body]), options, trace, signal);
    const outcome = classifyStatus(status);
    if (isResumed && outcome.kind === OutcomeKind.DELIVERED) sessions.confirm(receiver);
    // The refusal may be due to the resumption: some servers route requests by the server name, which they do not know
    // on resumed connections.
    else if (isResumed) sessions.refuse(receiver);
    return { ...outcome, httpStatus: status, replyExcerpt: replyExcerpt(body, () => message.secrets(url)) };
  } catch (error) {
    if (isResumed && toDeliveryFailure(error).kind === OutcomeKind.INTERRUPTED) sessions.forget(receiver);
    else if (isResumed) sessions.refuse(receiver);
    throw error;
  }
}

function sentTooLate(): DeliveryFailure {
  return new DeliveryFailure(OutcomeKind.INTERRUPTED, reason("sender_paused"));
}

function toAttempt(
  { phases, durationMs, remoteAddress }: AttemptTrace,
  result: Pick<Attempt, "kind" | "reason" | "httpStatus" | "replyExcerpt">,
): Attempt {
  return { ...result, phases, durationMs, remoteAddress };
}
