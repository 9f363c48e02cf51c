import { expect, test } from "vitest";
import { serveHttp } from "../../../test/harness/listeners/serve-http.ts";
import { RegistryClient } from "../registry-client.ts";
import { listen } from "./listen.ts";
import { readMessages, sendSample } from "./listen-api.ts";

test("waits for half a second after a page that is not full, so that a busy store's listener is not refused", async () => {
  const sizes = [0, 100, 99, 1];
  const pages = sizes.map((size, index) => ({
    messages: Array.from({ length: size }, () => ({ headers: {}, body: "{}" })),
    next: index,
    missed: 0,
    signing_secret: "crs_1",
    expires_at: new Date(0).toISOString(),
  }));
  const baseUrl = await serveHttp((_request, response) => {
    const page = pages.shift();
    response.writeHead(page === undefined ? 401 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(page ?? { error: "unauthorized", message: "The listen token is unknown." }));
  });
  const pauses: number[] = [];
  const listening = listen({
    baseUrl,
    token: "crl_1",
    onReady: () => undefined,
    onMessage: () => undefined,
    onNote: () => undefined,
    clock: { now: () => 0, sleep: async (ms) => void pauses.push(ms) },
  });
  await expect(listening).rejects.toMatchObject({ status: 401 });
  expect(pauses).toEqual([500, 500, 500]);
});

test("sends a token without the white space around it, as a file or a paste leaves it", async () => {
  const sent: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    sent.push(new Headers(init?.headers).get("authorization"));
    return Response.json({ id: "tst_1" });
  };
  await sendSample({ baseUrl: "https://registry.test", token: " crl_1 \r\n", fetch }, "issued");
  expect(sent).toEqual(["Bearer crl_1"]);
});

test.each([
  ["", "token is missing or not a string: create a listen token in the store's settings"],
  [" \n", "token is missing or not a string: create a listen token in the store's settings"],
  ["crl_1\ncrl_2", "token contains a character that no listen token has"],
])("refuses the token %j, and says what is wrong with it, without a request", async (token, message) => {
  const fetch = () => Promise.reject(new Error("sent"));
  const reading = readMessages({ baseUrl: "https://registry.test", token, fetch }, undefined);
  await expect(reading).rejects.toThrow(message);
  await expect(reading).rejects.toBeInstanceOf(TypeError);
});

test.each(["localhost:8080", "registry.test", "", "ftp://registry.test"])(
  "refuses the base URL '%s' as the client of the list does, with the URL in the message",
  async (baseUrl) => {
    const message = `The URL of the service must begin with https:// or http://, and is '${baseUrl}'`;
    await expect(readMessages({ baseUrl, token: "crl_1" }, undefined)).rejects.toThrow(new TypeError(message));
    expect(() => new RegistryClient({ baseUrl, apiKey: "crk_1" })).toThrow(new TypeError(message));
  },
);
