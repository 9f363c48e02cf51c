import { createServer } from "node:net";
import { expect, test } from "vitest";
import { claimPort, freePort, freePorts, portIsFree } from "./free-port.ts";

test("a port somebody listens on is refused with a sentence that names it, and free again afterwards", async () => {
  const port = await freePort();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await expect(claimPort(port)).rejects.toThrow(`Port ${port} on 127.0.0.1 is already in use`);
  expect(await portIsFree(port)).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(await claimPort(port)).toBe(port);
});

test("port 0 becomes a port that can be listened on", async () => {
  const port = await claimPort(0);
  expect(port).toBeGreaterThan(0);
  expect(await portIsFree(port)).toBe(true);
});

test("free ports are different ones, and none that somebody gets who asks for any port", async () => {
  const ports = await freePorts(100);
  expect(new Set(ports).size).toBe(100);
  // The systems that this runs on begin at 32,768 or at 49,152.
  expect(Math.max(...ports)).toBeLessThan(32_768);
});
