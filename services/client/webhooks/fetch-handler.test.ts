import { expect, test } from "vitest";
import { fetchHandler } from "./fetch-handler.ts";

const onMessage = () => undefined;

test("responds with 400 if reading the body fails", async () => {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(new Error("connection reset"));
    },
  });
  const request = new Request("https://shop.example.test/hook", {
    method: "POST",
    body,
    duplex: "half",
  } as RequestInit);
  expect((await fetchHandler({ secret: "s", onMessage })(request)).status).toBe(400);
});

test("responds with 500 and reports the reason if the request's body was read before", async () => {
  const request = new Request("https://shop.example.test/hook", { method: "POST", body: "{}" });
  await request.text();
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  expect((await fetchHandler({ secret: "s", onMessage, onError })(request)).status).toBe(500);
  expect(String(errors)).toContain("mount the webhook handler before");
});

test.each([[""], [[]], [["", ""]]])("throws for options without a secret: %j", (secret) => {
  expect(() => fetchHandler({ secret, onMessage })).toThrow("secret is missing");
});
