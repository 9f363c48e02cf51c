import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "../servers/free-port.ts";
import { requireFreePort } from "./require-free-port.ts";

test("names the remedy for a port that is in use", async ({ onTestFinished }) => {
  const server = createServer();
  onTestFinished(() => void server.close());
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  await expect(requireFreePort("public API", port, "--port")).rejects.toThrow(
    `Port ${port} (public API) is in use. Stop the program that uses it (an earlier npm start?), or choose another port: npm start -- --port ${port + 1}`,
  );
});

test("does not claim that a port is in use if it cannot be used for another reason", async () => {
  await expect(requireFreePort("public API", 70_000, "--port")).rejects.toThrow(
    "Port 70000 (public API) cannot be used (ERR_SOCKET_BAD_PORT). Choose another port: npm start -- --port <port>",
  );
});
