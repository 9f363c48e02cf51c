import type { TLSSocket } from "node:tls";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { after } from "#shared/time/after.ts";
import { publishDeliveryStep } from "../delivery-steps.ts";
import type { AttemptTrace } from "./attempt-trace.ts";
import { BodyReader, type ReplyBody } from "./body-reader.ts";
import { connectionFailed, DeliveryFailure, toDeliveryFailure } from "./delivery-failure.ts";
import { onAbort } from "./on-abort.ts";
import { StatusReader } from "./status-reader.ts";

/** The time limits of an exchange. */
export interface ExchangeOptions {
  readonly sendTimeoutMs: number;
  /** From the last byte sent to the complete final status line. */
  readonly replyTimeoutMs: number;
}

/** A receiver's reply. */
interface Reply {
  /** The final HTTP status, 200 to 999. */
  readonly status: number;
  readonly body: ReplyBody;
}

const timedOut = (why: Reason) => new DeliveryFailure(OutcomeKind.TIMEOUT, why);

// The body is only for the delivery log, so a slow body must not occupy a slot for long.
const bodyTimeoutMs = 500;

/**
 * Sends one request and reads the final status, then the start of the body for at most half a second. Always destroys
 * the socket.
 *
 * @param signal interrupts the exchange: before the final status, its reason becomes the failure; later, the signal
 * only truncates the body
 * @throws DeliveryFailure
 */
export async function exchange(
  socket: TLSSocket,
  request: Buffer,
  options: ExchangeOptions,
  trace: AttemptTrace,
  signal: AbortSignal,
): Promise<Reply> {
  const statusReader = new StatusReader();
  let reply: { readonly status: number; readonly reader: BodyReader } | undefined;
  let limit: Disposable | undefined;
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();

  const finish = (failure?: unknown) => {
    // Destroyed immediately, so that no further data arrives.
    socket.off("close", onEnd).off("end", onEnd).destroy();
    if (reply === undefined) reject(toDeliveryFailure(failure));
    else resolve({ status: reply.status, body: reply.reader.body });
  };
  const onEnd = () => {
    finish(connectionFailed(reason(statusReader.hasBegun ? "closed_during_reply" : "closed_without_reply")));
  };
  const finishAfter = (durationMs: number, failure?: () => unknown) => {
    limit?.[Symbol.dispose]();
    limit = after(durationMs, () => finish(failure?.()));
  };
  const awaitReply = () => {
    publishDeliveryStep("after_body");
    trace.startPhase("reply");
    finishAfter(options.replyTimeoutMs, () => {
      const code = statusReader.hasBegun ? "no_final_status_in_time" : "no_reply_in_time";
      return timedOut(reason(code, { seconds: options.replyTimeoutMs / 1_000 }));
    });
  };
  const readStatus = (text: string) => {
    const reading = statusReader.push(text);
    if (reading.kind === "invalid") finish(new DeliveryFailure(OutcomeKind.PROTOCOL_ERROR, reading.reason));
    if (reading.kind !== "status") return;
    publishDeliveryStep("after_reply");
    trace.endPhase();
    reply = { status: reading.status, reader: new BodyReader(reading.status) };
    if (reply.reader.push(reading.rest)) finish();
    else finishAfter(bodyTimeoutMs);
  };
  const onData = (chunk: Buffer) => {
    const text = chunk.toString("latin1");
    if (reply === undefined) readStatus(text);
    else if (reply.reader.push(text)) finish();
  };

  socket.on("error", finish).on("data", onData).once("close", onEnd).once("end", onEnd);
  using _ = onAbort(signal, () => finish(signal.reason));
  if (signal.aborted) finish(signal.reason);
  else if (socket.destroyed && socket.errored === null) onEnd();
  else if (socket.destroyed) finish(socket.errored);
  else {
    trace.startPhase("send");
    finishAfter(options.sendTimeoutMs, () =>
      timedOut(reason("message_not_accepted_in_time", { seconds: options.sendTimeoutMs / 1_000 })),
    );
    socket.write(request, () => {
      // A receiver may reply before it has read the whole message. The event "error" reports write errors.
      if (reply === undefined && !socket.destroyed) awaitReply();
    });
  }
  try {
    return await promise;
  } finally {
    limit?.[Symbol.dispose]();
    trace.endPhase();
  }
}
