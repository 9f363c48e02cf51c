import { describe, expect, test } from "vitest";
import { request } from "../testing/raw-http.ts";
import { openTestEdge } from "../testing/start-edge.ts";

const edge = await openTestEdge();
const browser = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("a browser at an unknown path", () => {
  test.each(["/verfy/abc", "/VERIFY/abc", "/x", "/docs/x", "/openapi", "/a/b/c", "/a/b/c/d/e", "//x", "/%00"])(
    "gets a page in its language with status 404, whose links exist: %s",
    async (path) => {
      const reply = await request(edge.port, `GET ${path}`, [browser, "Accept-Language: de-AT, en;q=0.5"]);
      expect(reply.status).toBe(404);
      expect(reply.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        vary: "Accept, Accept-Language",
      });
      expect(reply.body).toContain(">Seite nicht gefunden</h1>");
      // The address may be that of documentation or of no page at all.
      expect(reply.body).not.toContain("kein Zertifikat");
      const urls = Array.from(reply.body.matchAll(/(?:href|src)="([^"?#]+)"/g), ([, url = ""]) => url);
      const base = `http://127.0.0.1:${edge.port}${path}`;
      const own = urls.filter((url) => !url.startsWith("data:")).map((url) => new URL(url, base));
      expect(own.map(({ pathname }) => pathname)).toEqual(expect.arrayContaining(["/", "/docs", "/settings"]));
      for (const url of own.filter(({ pathname }) => pathname !== "/settings"))
        expect([url.href, (await fetch(url, { headers: { accept: "text/html" } })).status]).toEqual([url.href, 200]);
    },
  );

  test("gets it in the language that its links name", async () => {
    expect((await request(edge.port, "GET /x?lang=fr", [browser])).body).toContain('<html lang="fr"');
  });

  test("gets no page for HEAD, but the same headers", async () => {
    const reply = await request(edge.port, "HEAD /x", [browser]);
    expect([reply.status, reply.headers["content-type"], reply.body]).toEqual([404, "text/html; charset=utf-8", ""]);
  });
});

test.each([
  ["GET", "/x", "*/*"],
  ["GET", "/x", "application/json"],
  ["GET", "/x", "application/json, text/html"],
  ["GET", "/v1", "text/html"],
  ["GET", "/v1/stores", "text/html"],
  ["POST", "/x", "text/html"],
])("%s %s with Accept: %s gets the error document of the API", async (method, path, accept) => {
  const reply = await request(edge.port, `${method} ${path}`, [`Accept: ${accept}`]);
  expect([reply.status, reply.headers["content-type"]]).toEqual([404, "application/json; charset=utf-8"]);
  expect(JSON.parse(reply.body)).toMatchObject({ error: "not_found" });
});
