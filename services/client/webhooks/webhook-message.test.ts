import { expect, test } from "vitest";
import { parseMessage } from "./webhook-message.ts";

const message = { event: "issued", version: 1, shop: "shop.example.test", occurredAt: "2026-11-22T12:00:00.000Z" };
const parse = (value: unknown) => parseMessage(Buffer.from(JSON.stringify(value)));

test("parses a message in format v1", () => {
  const certificate = { id: "crt_1", serial: "CRT-000001" };
  expect(parse({ ...message, certificate })).toEqual({ ...message, certificate });
});

test.each([
  ["no certificate", message],
  ["a certificate without its serial", { ...message, certificate: { id: "crt_1" } }],
  ["a certificate without its id", { ...message, certificate: { serial: "CRT-000001" } }],
  ["an unknown version", { ...message, version: 3, certificate: { id: "crt_1", serial: "CRT-000001" } }],
  ["a text instead of fields", "issued"],
])("does not parse a message with %s", (_what, value) => {
  expect(parse(value)).toBeUndefined();
});
