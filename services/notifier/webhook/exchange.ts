import type { TLSSocket } from "node:tls";
import type { OnStep } from "../delivery-step.ts";
import type { AttemptTrace } from "./attempt-trace.ts";
import { BodyReader, type ReplyBody } from "./body-reader.ts";
import { connectionFailed, protocolError, timedOut, toDeliveryFailure } from "./delivery-failure.ts";
import { StatusReader } from "./status-reader.ts";

/** How an exchange is made. */
export interface ExchangeOptions {
  /** For handing the message to the network. */
  readonly sendTimeoutMs: number;
  /** From the last byte sent to the complete final status line. */
  readonly replyTimeoutMs: number;
  readonly onStep?: OnStep | undefined;
}

/** What a receiver replied. */
export interface Reply {
  /** 200 to 999. */
  readonly status: number;
  readonly body: ReplyBody;
}

// For the body: it is read for the log alone, and a slow one must not hold the receiver's place for long.
const bodyTimeoutMs = 500;

/**
 * Sends one request and reads the final status, and the beginning of the body where it comes soon. The socket is
 * destroyed afterwards, whatever happened.
 *
 * @throws DeliveryFailure
 */
export function exchange(
  socket: TLSSocket,
  request: Buffer,
  options: ExchangeOptions,
  trace: AttemptTrace,
  cut: AbortSignal,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const reader = new StatusReader();
    let replied: { readonly status: number; readonly reader: BodyReader } | undefined;

    const finish = (failure: unknown) => {
      clearTimeout(timer);
      cut.removeEventListener("abort", onCut);
      socket.off("close", onEnd);
      socket.off("end", onEnd);
      trace.end();
      socket.destroy();
      if (replied === undefined) reject(toDeliveryFailure(failure));
      else resolve({ status: replied.status, body: replied.reader.body });
    };
    const onCut = () => finish(cut.reason);
    const onEnd = () => {
      const where = reader.hasBegun ? "in the middle of its reply" : "without a reply";
      finish(connectionFailed(`The receiver closed the connection ${where}.`));
    };
    const failAfter = (durationMs: number, problem: () => string) =>
      setTimeout(() => finish(timedOut(`${problem()} within ${durationMs / 1_000} seconds.`)), durationMs);
    let timer = failAfter(options.sendTimeoutMs, () => "The receiver did not take the message");
    const awaitReply = () => {
      options.onStep?.("after_body");
      clearTimeout(timer);
      trace.begin("reply");
      timer = failAfter(options.replyTimeoutMs, () =>
        reader.hasBegun ? "The receiver's reply was not complete" : "The receiver did not reply",
      );
    };
    const onStatusBytes = (chunk: Buffer) => {
      const reading = reader.push(chunk);
      if (reading.kind === "invalid") finish(protocolError(reading.problem));
      if (reading.kind !== "status") return;
      options.onStep?.("after_reply");
      clearTimeout(timer);
      trace.end();
      replied = { status: reading.status, reader: new BodyReader(reading.status) };
      timer = setTimeout(finish, bodyTimeoutMs);
      if (replied.reader.push(reading.rest)) finish(undefined);
    };

    socket.on("error", finish);
    socket.once("close", onEnd);
    socket.once("end", onEnd);
    socket.on("data", (chunk: Buffer) => {
      if (replied === undefined) onStatusBytes(chunk);
      else if (replied.reader.push(chunk)) finish(undefined);
    });
    cut.addEventListener("abort", onCut, { once: true });
    if (cut.aborted) return onCut();
    if (socket.destroyed) return socket.errored === null ? onEnd() : finish(socket.errored);
    trace.begin("send");
    socket.write(request, () => {
      // A receiver may reply before it has the whole message. What goes wrong is told by "error".
      if (replied === undefined && !socket.destroyed) awaitReply();
    });
  });
}
