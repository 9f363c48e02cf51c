import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { listenHttp } from "#shared/http/operations-server.ts";
import { listen } from "./listen.ts";

test("waits for half a second after a page that is not full, so that a busy store's listener is not refused", async () => {
  const sizes = [0, 100, 99, 1];
  const pages = sizes.map((size, index) => ({
    messages: Array.from({ length: size }, () => ({ headers: {}, body: "{}" })),
    next: index,
    missed: 0,
    signing_secret: "crs_1",
    expires_at: new Date(0).toISOString(),
  }));
  const server = createServer((_request, response) => {
    const page = pages.shift();
    response.writeHead(page === undefined ? 401 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(page ?? { error: "unauthorized", message: "The listen token is unknown." }));
  });
  const port = await listenHttp(server, "127.0.0.1", 0);
  onTestFinished(() => void server.close());
  const pauses: number[] = [];
  const listening = listen({
    baseUrl: `http://127.0.0.1:${port}`,
    token: "crl_1",
    onReady: () => undefined,
    onMessage: () => undefined,
    onNote: () => undefined,
    clock: { now: () => 0, sleep: async (ms) => void pauses.push(ms) },
  });
  await expect(listening).rejects.toMatchObject({ status: 401 });
  expect(pauses).toEqual([500, 500, 500]);
});
