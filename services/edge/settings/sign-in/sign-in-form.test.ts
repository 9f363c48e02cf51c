import { describe, expect, test } from "vitest";
import { supportedLanguages } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { request } from "../../testing/raw-http.ts";
import { openTestEdge } from "../../testing/start-edge.ts";

const edge = await openTestEdge();

const claims = Buffer.from(JSON.stringify({ dest: "https://linden.example.test" })).toString("base64url");
const session = "Cookie: __Host-settings=cst_1";
const path = `/settings/sign-in?token=e30.${claims}.c2ln`;

async function open(target: string, ...headers: string[]) {
  const { status, body } = await request(edge.port, `GET ${target}`, headers);
  expect(status).toBe(200);
  return { sendsAtOnce: body.includes("data-send"), body };
}

describe("the form with the platform's token", () => {
  test("is submitted immediately in the platform's frame", async () => {
    for (const headers of [[], [session]]) {
      const { sendsAtOnce, body } = await open(path, "Sec-Fetch-Dest: iframe", ...headers);
      expect(sendsAtOnce).toBe(true);
      expect(body).not.toContain("linden.example.test</bdi>");
    }
  });

  test.each(supportedLanguages)("waits for a click outside the frame, and names the store: %s", async (language) => {
    const text = textsFor(language);
    for (const headers of [[], ["Sec-Fetch-Dest: document"], ["Sec-Fetch-Dest: object"]])
      for (const [cookies, lead] of [
        [[], text("settings.signIn.enters")],
        [[session], text("settings.signIn.replaces")],
      ] as const) {
        const { sendsAtOnce, body } = await open(`${path}&lang=${language}`, ...cookies, ...headers);
        expect(sendsAtOnce).toBe(false);
        expect(body).toContain(`<p>${lead}</p>`);
        expect(body).toContain("<bdi>linden.example.test</bdi>");
      }
  });

  test("waits for a click outside the frame even if the token names no store", async () => {
    const { sendsAtOnce, body } = await open("/settings/sign-in?token=x&lang=en");
    expect(sendsAtOnce).toBe(false);
    expect(body).toContain(textsFor("en")("settings.signIn.explanation"));
  });
});

test("links to other languages keep the platform's token, and no parameter that an outsider adds", async () => {
  const added = "&a=1".repeat(1_000);
  const links = async (target: string) => {
    const { body } = await open(`${target}${added}`);
    return Array.from(body.matchAll(/href="(\?[^"]*)" lang="de"/g), ([, link]) => link);
  };
  expect(await links(path)).toEqual([`?token=e30.${claims}.c2ln&amp;lang=de`]);
  for (const target of ["/settings/sign-out?b=2", `/settings/sign-in?token=${"'".repeat(9_000)}`])
    expect(await links(target)).toEqual(["?lang=de"]);
});

test("a form that an older browser sends from another site is refused", async () => {
  const form = ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 0"];
  const send = (...headers: string[]) => request(edge.port, `POST ${path}`, [...form, ...headers]);
  expect((await send("Origin: https://attacker.example.test")).status).toBe(400);
  expect((await send("Origin: null")).status).toBe(400);
  // Without a registry, a form that is accepted gets 503.
  expect((await send("Origin: http://edge.test", "X-Forwarded-Host: edge.test")).status).toBe(503);
});

test("pages permit older browsers to state which site sent a form", async () => {
  for (const target of [path, "/settings/sign-in/csl_1", "/settings"])
    expect((await request(edge.port, `GET ${target}`)).headers["referrer-policy"]).toBe("strict-origin");
});

test("the page after signing out opens the settings while the session goes on, as after a sign-out that failed", async () => {
  const form = ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 0", session];
  expect((await request(edge.port, "POST /settings/sign-out", form)).status).toBe(503);
  for (const target of ["/settings/sign-out", "/settings/sign-out?lang=de"]) {
    const { status, headers } = await request(edge.port, `GET ${target}`, [session]);
    expect([status, headers.location]).toEqual([303, "/settings"]);
  }
  const { body } = await open("/settings/sign-out?lang=en");
  expect(body).toContain(textsFor("en")("settings.signIn.signedOut"));
});

test("the form of a sign-in link always waits for a click", async () => {
  for (const headers of [[], [session], ["Sec-Fetch-Dest: iframe"]])
    expect((await open("/settings/sign-in/csl_1", ...headers)).sendsAtOnce).toBe(false);
});
