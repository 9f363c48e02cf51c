import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { verifyWebhook } from "./verify-webhook.ts";

const vectorsFile = new URL("../../../deploy/receivers/test-vectors.json", import.meta.url);
const headers = z.record(z.string(), z.string());
const { secrets, messages } = z
  .object({
    secrets: z.array(z.string()),
    messages: z.array(z.object({ name: z.string(), body: z.string(), headers, status: z.number() })),
  })
  .parse(JSON.parse(readFileSync(vectorsFile, "utf8")));

// A `Headers` object accepts only Latin-1.
const isLatin1 = (text: string) => /^[\0-\xff]*$/.test(text);

test.each(messages)("accepts exactly the published messages whose expected status is 204: $name", async (message) => {
  const expected = message.status === 204;
  const lowerCase = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const bytes = Buffer.from(message.body);
  expect(await verifyWebhook(bytes, lowerCase, secrets)).toBe(expected);
  if (!Object.values(message.headers).every(isLatin1)) return;
  expect(await verifyWebhook(message.body, new Headers(message.headers), [...secrets, ""])).toBe(expected);
});

test("accepts the value of X-Service-Signature in place of the headers, and refuses any other value", async () => {
  const [message] = messages.filter(({ status }) => status === 204);
  const signature = message?.headers["X-Service-Signature"];
  const [secret = ""] = secrets;
  const body = message?.body ?? "";
  expect(await verifyWebhook(body, signature, secret)).toBe(true);
  for (const other of [undefined, null, "", "sha256=", signature?.slice(7), `${signature}0`, signature?.toUpperCase()])
    expect(await verifyWebhook(body, other, secret)).toBe(false);
  expect(await verifyWebhook(body, signature, "")).toBe(false);
  expect(await verifyWebhook(`${body} `, signature, secret)).toBe(false);
});

test("ignores a secret that is missing, such as that of a rotation that has ended", async () => {
  const [message] = messages.filter(({ status }) => status === 204);
  const unset = process.env.NO_SUCH_SECRET as string;
  const keyless = `sha256=${createHmac("sha256", "").update("{}").digest("hex")}`;
  expect(await verifyWebhook(message?.body ?? "", new Headers(message?.headers), [...secrets, unset])).toBe(true);
  for (const none of [[unset], [""], unset]) expect(await verifyWebhook("{}", keyless, none)).toBe(false);
});

test("takes the body as an ArrayBuffer or a part of one, and throws for a body that a parser has replaced", async () => {
  const [message] = messages.filter(({ status }) => status === 204);
  const { body = "", headers: given = {} } = message ?? {};
  const bytes = Uint8Array.from(Buffer.from(body));
  expect(await verifyWebhook(bytes.buffer, given, secrets)).toBe(true);
  expect(await verifyWebhook(Uint8Array.from([0, ...bytes]).subarray(1), given, secrets)).toBe(true);
  for (const parsed of [JSON.parse(body), undefined, null])
    await expect(verifyWebhook(parsed, given, secrets)).rejects.toThrow("rawBody is neither bytes nor text");
});

test("finds the headers of an object in any letter case, as some gateways pass them on", async () => {
  const [message] = messages.filter(({ status }) => status === 204);
  expect(await verifyWebhook(message?.body ?? "", message?.headers ?? {}, secrets)).toBe(true);
});
