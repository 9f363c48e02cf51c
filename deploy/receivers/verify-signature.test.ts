import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { freePort } from "../local/servers/free-port.ts";
import { type CacheEntry, installIntoCache } from "../local/servers/install-into-cache.ts";
import { acceptsConnections } from "../local/stack/service-process.ts";

const vectors = z
  .object({
    secrets: z.array(z.string()),
    messages: z.array(
      z.object({
        name: z.string(),
        body: z.string(),
        headers: z.record(z.string(), z.string()),
        status: z.number(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(path.join(import.meta.dirname, "test-vectors.json"), "utf8")));

const startWithinMs = 30_000;
const responseWithinMs = 10_000;
// The first build on a machine also compiles much of the standard library, which takes minutes on a busy machine.
const buildWithinMs = 900_000;
const file = (name: string) => path.join(import.meta.dirname, name);

interface Receiver {
  readonly language: string;
  readonly versionCommand: readonly [string, ...string[]];
  readonly command: (port: number) => Promise<readonly [string, ...string[]]>;
}

const receivers: readonly Receiver[] = [
  {
    language: "Node",
    versionCommand: [process.execPath, "--version"],
    command: async () => [process.execPath, file("verify-signature.mjs")],
  },
  {
    language: "Python",
    versionCommand: ["python3", "--version"],
    command: async () => ["python3", file("verify-signature.py")],
  },
  {
    language: "Go",
    versionCommand: ["go", "version"],
    command: async () => [await buildGoReceiver()],
  },
  {
    language: "PHP",
    versionCommand: ["php", "--version"],
    command: async (port) => ["php", "-S", `127.0.0.1:${port}`, file("verify-signature.php")],
  },
];

/** Builds the Go receiver, unless a previous run has built the same source. @returns the path of the program */
async function buildGoReceiver(): Promise<string> {
  const source = file("verify-signature.go");
  const hash = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 16);
  const programIn = (folder: string) => path.join(folder, "receiver");
  // Built first, because stopping `go run` would leave the program running.
  const env = { ...process.env, CGO_ENABLED: "0" };
  const entry: CacheEntry = {
    name: `receiver-go-${hash}`,
    isComplete: async (folder) => existsSync(programIn(folder)),
    install: async (folder) => {
      await execa("go", ["build", "-o", programIn(folder), source], { env, timeout: buildWithinMs });
    },
  };
  return programIn(await installIntoCache(entry, { env: process.env, log: () => undefined, signal: undefined }));
}

/** Returns whether the language is installed; if it is not, prints that the test is skipped. */
async function isInstalled({ language, versionCommand: [program, ...args] }: Receiver): Promise<boolean> {
  const { failed } = await execa(program, args, { timeout: 20_000, reject: false });
  if (failed) process.stdout.write(`skipped: ${language} is not installed\n`);
  return !failed;
}

/** Starts a receiver with these secrets and stops it after the test. @returns its port */
async function start({ language, command }: Receiver, secrets: readonly string[]): Promise<number> {
  const port = await freePort();
  const [program, ...args] = await command(port);
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRETS: secrets.join() };
  const child = spawn(program, args, { env, stdio: "ignore" });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill();
    await exited;
  });
  const deadline = performance.now() + startWithinMs;
  while (!(await acceptsConnections(port))) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`the ${language} receiver does not start`);
    await delay(50);
  }
  return port;
}

/** Sends a message, with the header values in UTF-8. @returns the status of the response */
function send(port: number, body: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const encoded = Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString("latin1")]);
    const options = {
      method: "POST",
      host: "127.0.0.1",
      port,
      agent: false,
      headers: { ...Object.fromEntries(encoded), "content-type": "application/json" },
      timeout: 10_000,
    };
    const sent = request(options, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    });
    sent.once("timeout", () => sent.destroy(new Error("no response")));
    sent.once("error", reject);
    sent.end(body);
  });
}

const bodyBytesMax = 1024 * 1024;
const piece = Buffer.alloc(64 * 1024, "x");

/**
 * Sends a request head and then, until a response arrives, a body of up to `bodyBytes` bytes.
 *
 * @returns the status, or "closed" if the receiver closed the connection without a response
 */
async function sendRaw(port: number, header: string, bodyBytes: number): Promise<number | "closed"> {
  const socket = connect(port, "127.0.0.1");
  const { promise: ended, resolve: end, reject } = Promise.withResolvers<void>();
  let response = "";
  socket.on("error", () => end()).on("close", () => end());
  socket.setTimeout(responseWithinMs, () => reject(new Error("the receiver neither responds nor closes")));
  socket.on("data", (bytes) => {
    response += bytes.toString("latin1");
    if (/^HTTP\/1\.[01] \d{3}/.test(response)) end();
  });
  try {
    socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}\r\n\r\n`);
    // A receiver may respond to the head alone and close the connection. A body sent at once would cause a reset, which
    // could overtake the response.
    await Promise.race([ended, delay(300)]);
    const isChunked = header.startsWith("Transfer-Encoding");
    for (let sent = 0; sent < bodyBytes && response === "" && !socket.destroyed; sent += piece.length) {
      const bytes = piece.subarray(0, Math.min(piece.length, bodyBytes - sent));
      socket.write(isChunked ? `${bytes.length.toString(16)}\r\n${bytes}\r\n` : bytes);
      await delay(2);
    }
    // PHP's development server runs the script only once it has read the whole body.
    if (isChunked) socket.write("0\r\n\r\n");
    await ended;
  } finally {
    socket.destroy();
  }
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(response) ?? [];
  return status === undefined ? "closed" : Number(status);
}

/** Requests that a receiver must refuse, each with the results of {@link sendRaw} that count as a refusal. */
const oversized: readonly (readonly [what: string, header: string, bodyBytes: number, statuses: unknown[]])[] = [
  ["over 1 MiB", `Content-Length: ${bodyBytesMax + 1}`, bodyBytesMax + 1, [413]],
  ["with a negative Content-Length", "Content-Length: -1", 4 * bodyBytesMax, [400, "closed"]],
  ["with a Content-Length that is not a number", "Content-Length: 1_0", 0, [400, "closed"]],
  // Chunks that are still on their way cause a reset, which can overtake the response.
  ["in chunks that exceed 1 MiB in total", "Transfer-Encoding: chunked", 4 * bodyBytesMax, [411, 413, "closed"]],
];

describe.each(receivers)("the $language receiver", { timeout: buildWithinMs + 60_000 }, (receiver) => {
  test.for(oversized)("refuses a body %s, and then accepts a message", async (request, { skip }) => {
    const [, header, bodyBytes, statuses] = request;
    if (!(await isInstalled(receiver))) return skip();
    const port = await start(receiver, vectors.secrets);
    expect(statuses).toContain(await sendRaw(port, header, bodyBytes));
    const [good] = vectors.messages.filter(({ status }) => status === 204);
    expect(await send(port, good?.body ?? "", good?.headers ?? {})).toBe(204);
  });

  test("survives a client that disconnects in the middle of its message", async ({ skip }) => {
    if (!(await isInstalled(receiver))) return skip();
    const port = await start(receiver, vectors.secrets);
    const client = connect(port, "127.0.0.1");
    await once(client, "connect");
    client.write("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nabc");
    await delay(100);
    client.destroy();
    await delay(100);
    const [good] = vectors.messages.filter(({ status }) => status === 204);
    expect(await send(port, good?.body ?? "", good?.headers ?? {})).toBe(204);
  });

  test("accepts messages signed with any of its secrets, and responds with 401 to all others", async (context) => {
    if (!(await isInstalled(receiver))) return context.skip();
    // An empty entry after a trailing comma must not become a secret.
    const port = await start(receiver, [...vectors.secrets, ""]);
    const statuses = [];
    for (const { name, body, headers } of vectors.messages)
      statuses.push({ name, status: await send(port, body, headers) });
    expect(statuses).toEqual(vectors.messages.map(({ name, status }) => ({ name, status })));
  });
});
