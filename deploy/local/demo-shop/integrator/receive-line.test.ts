import { createHmac, randomBytes } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { certificateFixture } from "../../../../services/client/client-fixture.ts";
import { RegistryClient } from "../../../../services/client/index.ts";
import { Mirror } from "./mirror.ts";
import { receiveLine } from "./receive-line.ts";

const secret = randomBytes(16).toString("hex");
const client = new RegistryClient({ baseUrl: "http://127.0.0.1:1", apiKey: "unused" });
const now = () => new Date("2030-01-31T10:00:01.000Z");
const mirror = new Mirror({ file: ":memory:", client, now, onChange: () => undefined });
afterAll(() => mirror.close());
const deps = { mirror, now, readSecrets: async () => [secret] };

function lineOf(number: number, signedWith = secret): string {
  const certificate = certificateFixture(`crt_${number}`, number);
  const occurredAt = certificate.updatedAt;
  const body = JSON.stringify({ version: 2, event: "issued", shop: "shop.example", occurredAt, certificate });
  const signature = `sha256=${createHmac("sha256", signedWith).update(body).digest("hex")}`;
  return JSON.stringify({
    receivedAt: "2030-01-31T10:00:00.000Z",
    deliveryId: `evt_${number}`,
    verified: true,
    body,
    headers: { "content-type": "application/json", "x-service-signature": signature },
  });
}

test("a message with a valid signature reaches the mirror", async () => {
  const before = mirror.state.count;
  expect(await receiveLine(lineOf(1), deps)).toMatchObject({ deliveryId: "evt_1", savedAt: now() });
  expect(mirror.state.count).toBe(before + 1);
});

test.each([
  ["a line with a wrong signature", lineOf(2, "another secret")],
  ["a line without headers", '{"receivedAt":"2030-01-31T10:00:00.000Z","body":"{}"}'],
  ["a line that was not written completely", '{"receivedAt"'],
])("ignores %s", async (_, line) => {
  const before = mirror.state.count;
  expect(await receiveLine(line, deps)).toBeUndefined();
  expect(mirror.state.count).toBe(before);
});

test("a paused mirror counts the messages that it misses", async () => {
  mirror.pause();
  expect(await receiveLine(lineOf(3), deps)).toMatchObject({ savedAt: null });
  expect(mirror.state).toMatchObject({ isPaused: true, missed: 1 });
});

test("the mirror's state contains the error of a failed catch-up", async () => {
  const offline = new RegistryClient({ baseUrl: "http://127.0.0.1:1", apiKey: "unused", maxWaitMs: 0 });
  const lonely = new Mirror({ file: ":memory:", client: offline, now, onChange: () => undefined });
  await lonely.open();
  expect(lonely.state).toMatchObject({ isCatchingUp: false, lastCatchUp: null, problem: expect.any(String) });
  await lonely.close();
});
