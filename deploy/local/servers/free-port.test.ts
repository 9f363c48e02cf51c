import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { claimPort, freePort, portIsFree, requireFreePort } from "./free-port.ts";

test("rejects a port that is in use, naming it in the error, and accepts it once it is free", async () => {
  const port = await freePort();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await expect(claimPort(port)).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use: stop the program`);
  expect(await portIsFree(port)).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(await claimPort(port)).toBe(port);
});

test("does not report a port as in use if listening on it fails for another reason", async () => {
  await expect(
    requireFreePort(70_000, "Port 70000 (public API)", "choose another port: --port <port>"),
  ).rejects.toThrow(
    "Port 70000 (public API) cannot be used (ERR_SOCKET_BAD_PORT): choose another port: --port <port>.",
  );
});

test("replaces port 0 with a port that a server can listen on", async () => {
  const port = await claimPort(0);
  expect(port).toBeGreaterThan(0);
  expect(await portIsFree(port)).toBe(true);
});

test("returns distinct ports below the ephemeral range", async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, () => freePort()));
  expect(new Set(ports).size).toBe(100);
  // Supported systems start the range at 32,768 or at 49,152.
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

// Runs a process that takes a port, searching from `first`, and ends.
async function portOfAnotherProcess(first: number): Promise<number> {
  const module = new URL("free-port.ts", import.meta.url).href;
  const program = `const { freePort } = await import(${JSON.stringify(module)}); console.log(await freePort(${first}));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  return Number(stdout);
}

test("two processes never choose the same port, even before a server listens on it", async () => {
  const port = await freePort();
  expect(await portIsFree(port)).toBe(true);
  expect(await portOfAnotherProcess(port)).not.toBe(port);
});

test("a port that a process has chosen is free again once the process has ended", async () => {
  const port = await portOfAnotherProcess(await freePort());
  expect(await freePort(port)).toBe(port);
});
