// Runs in a container with certctl, as the operator of a store and as its webhook receiver: issues a certificate, lists
// it, receives its messages, opens its verification page, and revokes it. Exits with 0 if every step succeeds.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { isGenuine } from "../../../deploy/receivers/verify-signature.mjs";

const {
  EDGE_URL: edge = "",
  RECEIVER_URL: receiver = "",
  RECEIVER_CERT_FILE = "",
  RECEIVER_KEY_FILE = "",
} = process.env;
const messageLimitMs = 60_000;
const log = (line) => process.stdout.write(`${line}\n`);

// Each run uses a new store, because the signing secret of a webhook is shown only once.
const store = `story-${randomBytes(4).toString("hex")}.example`;

/** Runs certctl, while the receiver goes on answering. */
async function certctl(...args) {
  const env = { ...process.env, CERTCTL_STORE: store };
  const { stdout } = await promisify(execFile)("node", ["/app/services/cli/main.ts", ...args], {
    timeout: 30_000,
    env,
  });
  return stdout.trim();
}

/** Listens for webhook messages. @returns an array to which each message is added on arrival */
async function receiveMessages() {
  const messages = [];
  const server = createServer(
    { cert: readFileSync(RECEIVER_CERT_FILE), key: readFileSync(RECEIVER_KEY_FILE) },
    async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync(request));
      messages.push({ body, headers: request.headers });
      response.writeHead(204).end();
    },
  );
  await new Promise((resolve) => server.listen(Number(new URL(receiver).port), resolve));
  // Lets the script exit although the server still listens.
  server.unref();
  return messages;
}

/** Waits for the store's next message, and verifies its signature. */
async function nextMessage(messages, secret) {
  const deadline = performance.now() + messageLimitMs;
  while (messages.length === 0) {
    assert(performance.now() < deadline, "no webhook message has arrived");
    await delay(100);
  }
  const { body, headers } = messages.shift();
  assert(isGenuine(body, headers, [secret]), "the message's signature is wrong");
  return JSON.parse(body.toString());
}

async function read(path, headers = {}) {
  const response = await fetch(`${edge}${path}`, { headers, signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  assert.equal(response.status, 200, `GET ${path} returned ${response.status}: ${text}`);
  return text;
}

const messages = await receiveMessages();
await certctl("store", "create", store, "--plan", "pro");
const secret = await certctl("webhook", "set", receiver, "--create-secret");
const headers = { Authorization: `Bearer ${await certctl("key", "create", "--label", "story")}` };
const list = async () => JSON.parse(await read("/v1/certificates", headers)).certificates;

const buyer = ["--name", "Ada Lovelace", "--email", "ada@example.com"];
const [id, serial] = (await certctl("certificate", "issue", "--title", "Poster", ...buyer)).split(/\s+/);
const issued = await nextMessage(messages, secret);
assert.deepEqual([issued.event, issued.shop, issued.certificate.id], ["issued", store, id]);
assert.deepEqual(await list(), [issued.certificate], "list and message differ");
log(`issued, listed and received ${serial}`);

const { pathname, search } = new URL(issued.certificate.verifyUrl);
const page = await read(`${pathname}${search}`);
assert(page.includes(serial), "the verification page does not show the serial number");
log("opened the verification page");

await certctl("certificate", "revoke", id, "--yes");
const revoked = await nextMessage(messages, secret);
assert.deepEqual([revoked.event, revoked.certificate.status], ["revoked", "revoked"]);
assert.deepEqual(await list(), [revoked.certificate], "list and message differ after the revocation");
log("revoked it, listed and received the revocation");
