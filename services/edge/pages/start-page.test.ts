import { describe, expect, test } from "vitest";
import { openTestEdge } from "../testing/start-edge.ts";

const edge = await openTestEdge();

const get = (headers: Record<string, string>, query = "") =>
  fetch(`http://127.0.0.1:${edge.port}/${query}`, { headers });
const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe("a browser at /", () => {
  test("gets a page of the installation in its language, with links to the guide and the settings", async () => {
    const response = await get({ ...browser, "accept-language": "de-AT, en;q=0.5" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(response.headers.get("vary")).toBe("Accept-Encoding, Accept, Accept-Language");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    const html = await response.text();
    expect(html).toContain(">Echtheitszertifikate</h1>");
    const urls = Array.from(html.matchAll(/(?:href|src)="([^"?#]+)"/g), ([, url = ""]) => url);
    const own = urls.filter((url) => !url.startsWith("data:"));
    expect(own).toEqual(expect.arrayContaining(["docs", "settings"]));
    for (const url of own.filter((name) => name !== "settings"))
      expect([url, (await fetch(`http://127.0.0.1:${edge.port}/${url}`)).status]).toEqual([url, 200]);
  });

  test("can switch the language", async () => {
    expect(await (await get(browser, "?lang=fr")).text()).toContain('<html lang="fr"');
  });
});

test.each(["*/*", "application/json", undefined])(
  "a client that accepts %s at / gets the error document",
  async (accept) => {
    const response = await get(accept === undefined ? {} : { accept });
    expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
    expect(response.headers.get("vary")).toContain("Accept");
    expect(await response.json()).toMatchObject({ error: "not_found" });
  },
);

test("preferences that are much longer than those of browsers are ignored, because reading them could take long", async () => {
  const long = ",x/y".repeat(300);
  expect((await get({ accept: browser.accept + long })).status).toBe(404);
  const html = await (await get({ ...browser, "accept-language": `de${long}` })).text();
  expect(html).toContain('<html lang="en"');
});
