import { createServer, type RequestListener } from "node:http";
import { onTestFinished } from "vitest";
import { closeHttp, listenHttp } from "#shared/http/operations-server.ts";

/**
 * Serves HTTP requests on a free port of 127.0.0.1.
 *
 * @param onEnd registers the function that stops the server. Default: `onTestFinished`
 * @returns the server's base URL, without a slash at its end
 */
export async function serveHttp(
  listener: RequestListener,
  onEnd: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const server = createServer(listener);
  onEnd(() => closeHttp(server, 0));
  return `http://127.0.0.1:${await listenHttp(server, "127.0.0.1", 0)}`;
}
