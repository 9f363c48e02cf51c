import type { TLSSocket } from "node:tls";
import { connectionFailed, timedOut, toDeliveryFailure } from "./delivery-failure.ts";
import { StatusReader } from "./status-reader.ts";

/** How long an exchange may take. */
export interface ExchangeLimits {
  /** For handing the message to the network. */
  readonly sendTimeoutMs: number;
  /** From the last byte sent to the complete final status line. */
  readonly replyTimeoutMs: number;
}

// A receiver that is still writing its reply when the connection is cut would log an error, so a little is read.
const restBytesMax = 4 * 1_024;
const restTimeoutMs = 500;

/**
 * Sends one request and reads the final status. The socket is destroyed afterwards, whatever happened.
 *
 * @throws DeliveryFailure
 */
export function exchange(
  socket: TLSSocket,
  request: Buffer,
  limits: ExchangeLimits,
  cut: AbortSignal,
): Promise<{ readonly status: number; readonly repliedAt: number }> {
  return new Promise((resolve, reject) => {
    const reader = new StatusReader();
    let reply: { readonly status: number; readonly repliedAt: number } | undefined;
    let restBytes = 0;

    const finish = (failure: unknown) => {
      clearTimeout(timer);
      cut.removeEventListener("abort", onCut);
      socket.destroy();
      if (reply === undefined) reject(toDeliveryFailure(failure));
      else resolve(reply);
    };
    const onCut = () => finish(cut.reason);
    const failAfter = (durationMs: number, problem: string) =>
      setTimeout(() => finish(timedOut(`${problem} within ${durationMs / 1_000} seconds.`)), durationMs);
    let timer = failAfter(limits.sendTimeoutMs, "The receiver did not take the message");

    socket.on("error", finish);
    socket.once("close", () =>
      finish(connectionFailed("The receiver closed the connection without a reply.")),
    );
    socket.once("end", () => finish(connectionFailed("The receiver closed the connection without a reply.")));
    socket.on("data", (chunk: Buffer) => {
      if (reply !== undefined) {
        restBytes += chunk.length;
        if (restBytes >= restBytesMax) finish(undefined);
        return;
      }
      const reading = reader.push(chunk);
      if (reading === "invalid") return finish(connectionFailed("The receiver's reply is not HTTP/1.1."));
      if (reading === "incomplete") return;
      reply = { status: reading, repliedAt: performance.now() };
      clearTimeout(timer);
      timer = setTimeout(finish, restTimeoutMs);
    });
    cut.addEventListener("abort", onCut, { once: true });
    if (cut.aborted) return onCut();
    socket.write(request, () => {
      if (reply !== undefined || socket.destroyed) return;
      clearTimeout(timer);
      timer = failAfter(limits.replyTimeoutMs, "The receiver did not reply");
    });
  });
}
