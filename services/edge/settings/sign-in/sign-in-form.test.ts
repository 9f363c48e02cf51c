import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { supportedLanguages } from "#shared/text/supported-languages.ts";
import { request } from "../../testing/raw-http.ts";
import { startEdge, type TestEdge } from "../../testing/start-edge.ts";
import { texts } from "./texts.ts";

let edge: TestEdge;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.stop());

const claims = Buffer.from(JSON.stringify({ dest: "https://linden.example.test" })).toString("base64url");
const session = "Cookie: __Host-settings=cst_1";
const path = `/settings/sign-in?token=e30.${claims}.c2ln`;

async function open(target: string, ...headers: string[]) {
  const { status, body } = await request(edge.port, `GET ${target}`, headers);
  expect(status).toBe(200);
  return { sendsAtOnce: body.includes("data-send"), body };
}

describe("the form with the platform's token", () => {
  test("is submitted immediately in a frame, and outside a frame if the browser has no session", async () => {
    for (const headers of [[], ["Sec-Fetch-Dest: document"], ["Sec-Fetch-Dest: iframe", session]]) {
      const { sendsAtOnce, body } = await open(path, ...headers);
      expect(sendsAtOnce).toBe(true);
      expect(body).not.toContain("linden.example.test</bdi>");
    }
  });

  test.each(supportedLanguages)(
    "waits for a click if it would replace a session, and names the store: %s",
    async (language) => {
      for (const headers of [[], ["Sec-Fetch-Dest: document"], ["Sec-Fetch-Dest: object"]]) {
        const { sendsAtOnce, body } = await open(`${path}&lang=${language}`, session, ...headers);
        expect(sendsAtOnce).toBe(false);
        expect(body).toContain(texts[language].replaces);
        expect(body).toContain("<bdi>linden.example.test</bdi>");
      }
    },
  );

  test("waits for a click if it would replace a session, even if the token names no store", async () => {
    const { sendsAtOnce, body } = await open("/settings/sign-in?token=x&lang=en", session);
    expect(sendsAtOnce).toBe(false);
    expect(body).toContain(texts.en.explanation);
  });
});

test("the form of a sign-in link always waits for a click", async () => {
  for (const headers of [[], [session], ["Sec-Fetch-Dest: iframe"]])
    expect((await open("/settings/sign-in/csl_1", ...headers)).sendsAtOnce).toBe(false);
});
