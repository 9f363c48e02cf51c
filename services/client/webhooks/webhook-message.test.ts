import { expect, test } from "vitest";
import { parseMessage } from "./webhook-message.ts";

const message = { event: "issued", version: 1, shop: "shop.example.test", occurredAt: "2026-11-22T12:00:00.000Z" };
const parse = (value: unknown) => parseMessage(Buffer.from(JSON.stringify(value)));

test("parses a message in format v1", () => {
  const certificate = { id: "crt_1", serial: "CRT-000001" };
  expect(parse({ ...message, certificate })).toEqual({ ...message, certificate });
});

test.each([
  ["a message without a certificate", message],
  ["a message whose certificate has no serial", { ...message, certificate: { id: "crt_1" } }],
  ["a message whose certificate has no id", { ...message, certificate: { serial: "CRT-000001" } }],
  ["a message of an unknown version", { ...message, version: 3, certificate: { id: "crt_1", serial: "CRT-000001" } }],
  ["a string instead of an object", "issued"],
])("does not parse %s", (_what, value) => {
  expect(parse(value)).toBeUndefined();
});
