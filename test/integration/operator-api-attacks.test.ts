import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { generateOperatorToken } from "#shared/operators/operator-token.ts";
import { inStore } from "../harness/in-store.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openOperatorsFile, operatorEntryOf } from "../harness/operators-file.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";

const token = generateOperatorToken();
const file = await openOperatorsFile([operatorEntryOf({ actor: "reader", token, rights: ["inspect"] })]);
const { lines, onLogLine } = captureLog();
const registry = await openTestRegistry({ env: { REGISTRY_OPERATORS_FILE: file.path }, onLogLine });
const port = Number(new URL(registry.apiUrl ?? "").port);

const revoke = "LifecycleService/RevokeCertificate";

const longBody = Buffer.alloc(4 * 1024 * 1024, "x");

/**
 * Sends the head of a request that announces a body of 4 MiB, and then `body` (by default, only its first byte).
 *
 * @returns the response's status line, or `reset` if the connection is reset before the response arrives
 */
async function sendHead(method: string, authorization?: string, body: Uint8Array = longBody.subarray(0, 1)) {
  const socket = connect(port, "127.0.0.1");
  const head = [
    `POST /registry.v1.${method} HTTP/1.1`,
    "Host: registry",
    "Content-Type: application/json",
    `Content-Length: ${longBody.length}`,
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  socket.write(body);
  // If the server closes the connection while the client is still sending, a reset can overtake the response.
  const [bytes] = await once(socket, "data").catch(() => ["reset"]);
  socket.on("error", () => undefined).destroy();
  return String(bytes).split("\r\n")[0] ?? "";
}

async function call(method: string, bearer: string, body = "{}") {
  const response = await fetch(`${registry.apiUrl}/registry.v1.${method}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${bearer}`,
      ...inStore("sto_secret").headers,
    },
    body,
  });
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body: await response.text() };
}

test("refuses a call without the required right or a valid token before the call's body arrives", async () => {
  expect(await sendHead(revoke)).toBe("HTTP/1.1 401 Unauthorized");
  expect(await sendHead(revoke, `Bearer ${generateOperatorToken()}`)).toBe("HTTP/1.1 401 Unauthorized");
  expect(await sendHead(revoke, `Bearer ${token}`)).toBe("HTTP/1.1 401 Unauthorized");
});

const history = "InspectionService/GetHistory";
const callLines = () => lines.filter(({ msg }) => msg === "operator call");

test("logs each call with its method, actor and code but no part of its body or token, and counts it by method and code", async () => {
  await call(history, token);
  const method = `registry.v1.${history}`;
  await expect
    .poll(callLines)
    .toContainEqual(
      expect.objectContaining({ method, actor: "reader", code: "NotFound", peer: "127.0.0.1", ms: expect.any(Number) }),
    );
  const unparsed = await call(history, token, '{"certificateId":"crt_secret","misspelt":"buyer@shop.example"}');
  expect(unparsed.status).toBe(400);
  await expect.poll(callLines).toContainEqual(expect.objectContaining({ method, code: "InvalidArgument" }));
  for (const text of [token, "sto_secret", "crt_secret", "misspelt", "shop.example"])
    expect(JSON.stringify(callLines())).not.toContain(text);
  const counts = await metricValues(registry.operationsUrl, "registry_operator_call_duration_seconds_count");
  expect(counts[`method="${method}",code="NotFound"`]).toBe(1);
  expect(counts[`method="${method}",code="InvalidArgument"`]).toBe(1);
});

test("refuses 40 calls that have 4 MiB bodies but no token, without parsing any of the bodies", async () => {
  const statusLines = await Promise.all(Array.from({ length: 40 }, () => sendHead(revoke, undefined, longBody)));
  // A parsed body would lead to 400, because it is not JSON.
  for (const line of statusLines) expect(line).toMatch(/^(HTTP\/1\.1 (401|429) |reset)/);
});

test("refuses a body of more than 1 MiB, although the token is valid", async () => {
  const { status, body } = await call(history, token, `{"storeId":"${"a".repeat(1_048_577)}"}`);
  expect([status, JSON.parse(body).code]).toEqual([429, "resource_exhausted"]);
});

test("limits failed authentications from an address, and still accepts a valid token from that address", async () => {
  const before = callLines().length;
  const replies = [];
  for (let count = 0; count < 60; count++) replies.push(await call(revoke, generateOperatorToken()));
  const limited = replies.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(30);
  expect(replies.filter(({ status }) => status === 401)).toHaveLength(replies.length - limited.length);
  for (const { retryAfter } of limited) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  expect((await call(history, token)).status).toBe(404);
  // One line for each call that got 401, and one for the valid call.
  await expect.poll(() => callLines().length - before).toBe(replies.length - limited.length + 1);
});

test("refuses to start if the operators' file contains a weak token, and names the entry and the remedy", async () => {
  const weak = await openOperatorsFile([operatorEntryOf({ actor: "ada", token: "x" })]);
  const { database } = registry;
  const starting = startTestRegistry({ database, env: { REGISTRY_OPERATORS_FILE: weak.path } });
  await expect(starting).rejects.toThrow("has a weak token in entry 1. Create a token with 'certctl operator create'");
});

test("reloads the operators' file when it changes; if it is invalid, keeps the current operators and logs an error", async () => {
  const next = generateOperatorToken();
  await file.write([operatorEntryOf({ actor: "reader", token: next, rights: ["inspect"] })]);
  await expect.poll(async () => (await call(history, next)).status).toBe(404);
  expect((await call(history, token)).status).not.toBe(404);
  await file.writeText("[");
  await expect
    .poll(() => lines)
    .toContainEqual(expect.objectContaining({ level: 50, path: file.path, reason: "is not valid JSON" }));
  expect((await call(history, next)).status).toBe(404);
  const values = await metricValues(registry.operationsUrl, "registry_operators_file_valid");
  expect(Object.values(values)).toEqual([0]);
});
