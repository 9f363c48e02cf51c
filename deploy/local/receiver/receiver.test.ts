import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { makeServerCertificate } from "../certificates/self-signed.ts";
import { receiverConfig } from "./config.ts";
import type { HistorySummary } from "./message-history.ts";
import { startReceiver } from "./run.ts";

const secret = "whsec_test";
const folder = await openTemporaryFolder("receiver", afterAll);
const { caPem: ca, certPem, keyPem } = await makeServerCertificate();
await writeFile(join(folder, "cert.pem"), certPem);
await writeFile(join(folder, "key.pem"), keyPem);
await writeFile(join(folder, "secret"), `${secret}\n`);
await writeFile(join(folder, "empty"), "");

const environment = {
  RECEIVER_PORT: "0",
  RECEIVER_CERT_FILE: join(folder, "cert.pem"),
  RECEIVER_KEY_FILE: join(folder, "key.pem"),
  RECEIVER_SECRET_FILE: join(folder, "secret"),
  RECEIVER_LOG_FILE: join(folder, "received.jsonl"),
};

const lines: string[] = [];
const receiver = await startReceiver(receiverConfig.load(environment), (line) => lines.push(line));
afterAll(() => receiver.stop());

interface Reply {
  readonly status: number | undefined;
  readonly text: string;
}

function call(path: string, body?: Uint8Array, headers: Record<string, string> = {}): Promise<Reply> {
  const method = body === undefined ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: receiver.port, path, method, headers, ca, agent: false };
    const sent = request(options, async (response) => {
      const chunks = await response.toArray();
      resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function signed(body: Uint8Array): Record<string, string> {
  const digest = createHmac("sha256", secret).update(body).digest("hex");
  return { "x-service-signature": `sha256=${digest}`, "x-service-delivery": "event-1" };
}

const messageText = '{"version":2, "event":"issued","certificate":{"id":"c1","serial":"000042","title":"Él"}}';
const message = Buffer.from(messageText);

test("accepts, prints and logs a signed message, and serves its raw body to a later GET", async () => {
  const headers = signed(message);
  expect((await call("/webhooks", message, { ...headers, accept: "*/*" })).status).toBe(204);
  expect(lines.at(-1)).toMatch(/^\d{4}-\S+Z {2}issued {7}certificate 000042 {2}verified: yes$/);
  const logged = (await readFile(join(folder, "received.jsonl"), "utf8")).trimEnd().split("\n");
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    { receivedAt: expect.any(String), deliveryId: "event-1", headers, verified: true, body: messageText },
  ]);
  expect(JSON.parse((await call("/messages/c1")).text)).toEqual([messageText]);
});

test("responds with 401 to a changed or unsigned message, and does not keep its body", async () => {
  const changed = Buffer.from(messageText.replace("c1", "c2"));
  expect((await call("/webhooks", changed, signed(message))).status).toBe(401);
  expect((await call("/webhooks", message)).status).toBe(401);
  expect(lines.at(-1)).toMatch(/verified: no$/);
  expect(JSON.parse((await call("/messages/c2")).text)).toEqual([]);
  const summary: HistorySummary = JSON.parse((await call("/")).text);
  expect(summary).toMatchObject({ received: 3, verified: 1, rejected: 2 });
  expect(summary.last.map(({ verified, serial }) => [verified, serial])).toEqual([
    [false, "000042"],
    [false, "000042"],
    [true, "000042"],
  ]);
});

test("accepts only messages signed with a secret in the file, and rereads the file for each message", async () => {
  const file = join(folder, "secret");
  const signedByNext = createHmac("sha256", "whsec_next").update(message).digest("hex");
  const headers = { "x-service-signature": `sha256=${signedByNext}` };
  const statuses = async () => [
    (await call("/", message, signed(message))).status,
    (await call("/", message, headers)).status,
  ];
  expect(await statuses()).toEqual([204, 401]);
  await writeFile(file, `${secret}\nwhsec_next\n`);
  expect(await statuses()).toEqual([204, 204]);
  await writeFile(file, "whsec_next");
  expect(await statuses()).toEqual([401, 204]);
  await writeFile(file, `${secret}\n`);
});

test("accepts a signed body that is not JSON, and prints no control characters", async () => {
  const odd = Buffer.from('{"event":"\\u001b[2J"}');
  expect((await call("/webhooks", odd, signed(odd))).status).toBe(204);
  expect(lines.at(-1)).toContain("?[2J");
  const notJson = Buffer.from("not json");
  expect((await call("/webhooks", notJson, signed(notJson))).status).toBe(204);
});

test("refuses a body over 1 MiB with status 413 or by closing the connection", async () => {
  const large = Buffer.alloc(1_024 * 1_024 + 1);
  const response = await call("/webhooks", large, signed(large)).catch((error) => error.code);
  expect([{ status: 413, text: "" }, "EPIPE", "ECONNRESET"]).toContainEqual(response);
});

test("responds with 404 to an unknown path and with an empty list for an unknown certificate", async () => {
  expect((await call("/nothing")).status).toBe(404);
  expect(await call("/messages/%zz")).toEqual({ status: 200, text: "[]\n" });
});

function spawnReceiver(more: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, ...environment, ...more };
  return spawn(process.execPath, [join(import.meta.dirname, "main.ts")], { env });
}

test("runs as a separate process, prints its URL, and exits with code 0 on SIGTERM", async () => {
  const child = spawnReceiver();
  const [line] = await once(child.stdout, "data");
  expect(String(line)).toMatch(/^Receiver at https:\/\/127\.0\.0\.1:\d+\/\n$/);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("exits with code 1 and states the remedy when the secret file is empty", async () => {
  const child = spawnReceiver({ RECEIVER_SECRET_FILE: join(folder, "empty") });
  const [text] = await once(child.stderr, "data");
  expect(String(text)).toBe(
    "The file named by RECEIVER_SECRET_FILE contains no secret, so no message can be verified: write the signing secret to the file.\n",
  );
  expect(await once(child, "exit")).toEqual([1, null]);
});
