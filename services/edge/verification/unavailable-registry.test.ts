import { expect, test } from "vitest";
import { request } from "../testing/raw-http.ts";
import { openTestEdge } from "../testing/start-edge.ts";

const edge = await openTestEdge();

const link = `/verify/${"0".repeat(26)}`;

test.each([
  [link, "Vorübergehend nicht erreichbar"],
  [`${link}/report`, "Vorübergehend nicht erreichbar"],
])("shows an error page in the visitor's language while the registry is unavailable: %s", async (path, title) => {
  const { status, headers, body } = await request(edge.port, `GET ${path}`, ["Accept-Language: de-AT,en;q=0.5"]);
  expect(status).toBe(503);
  expect(headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
  expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  expect(headers["content-security-policy"]).toContain("default-src 'none'");
  expect(body).toContain(title);
});

const notFound = { verify: "Zertifikat nicht gefunden", settings: "Seite nicht gefunden" };

test.each([
  ["/verify", notFound.verify],
  ["/verify/", notFound.verify],
  ["/verify/a/b", notFound.verify],
  [`${link}/report/`, notFound.verify],
  ["/verify/a/b/c/d/e", notFound.verify],
  ["/settings/unknown", notFound.settings],
  ["/settings/certificates/crt_1/unknown/", notFound.settings],
  ["/settings/%zz", notFound.settings],
  ["/settings//", notFound.settings],
])("shows an error page with its styles in the visitor's language at an unknown path: %s", async (path, title) => {
  for (const method of ["GET", "POST"]) {
    const { status, headers, body } = await request(edge.port, `${method} ${path}`, ["Accept-Language: de"]);
    expect([status, headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(body).toContain(title);
    const [, stylesheet = ""] = /rel="stylesheet" href="([^"]+)"/.exec(body) ?? [];
    const { pathname } = new URL(stylesheet, `http://edge.example${path}`);
    expect((await request(edge.port, `GET ${pathname}`)).status).toBe(200);
  }
});

test.each([
  [`${link}/`, link],
  [`${link}/?lang=de&x=%2F`, `${link}?lang=de&x=%2F`],
  ["/settings/", "/settings"],
  ["/settings/?lang=de", "/settings?lang=de"],
])("redirects %s to the path without the slash", async (path, target) => {
  const { status, headers } = await request(edge.port, `GET ${path}`);
  expect(status).toBe(308);
  const { pathname, search } = new URL(headers.location ?? "", `http://edge.example${path}`);
  expect(pathname + search).toBe(target);
});

test("serves the static files of the pages as immutable, and returns 404 for an unknown file", async () => {
  const { body } = await request(edge.port, `GET ${link}`);
  const files = [...body.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, file]) => file ?? "");
  expect(files.length).toBeGreaterThanOrEqual(3);
  for (const file of files) {
    const { status, headers } = await request(edge.port, `GET /verify/${file}`);
    expect([status, headers["cache-control"]]).toEqual([200, "public, max-age=31536000, immutable"]);
  }
  expect((await request(edge.port, "GET /verify/assets/unknown.css")).status).toBe(404);
});

test("answers a request for a file of another release with its own file, which no cache may store", async () => {
  const { body } = await request(edge.port, `GET ${link}`);
  const files = [...body.matchAll(/(?:href|src)="assets\/([^"]+)"/g)].map(([, file]) => file ?? "");
  expect(files.length).toBeGreaterThanOrEqual(3);
  for (const file of files) {
    const own = await request(edge.port, `GET /verify/assets/${file}`);
    const other = file.replace(/\.[0-9a-f]{12}\./, ".0123456789ab.");
    for (const folder of ["verify", "settings", "docs"]) {
      const reply = await request(edge.port, `GET /${folder}/assets/${other}`);
      expect([reply.status, reply.headers["cache-control"], reply.body]).toEqual([200, "no-store", own.body]);
    }
    expect((await request(edge.port, `GET /verify/assets/${file.replace(/\.[0-9a-f]{12}\./, ".")}`)).status).toBe(404);
  }
});

test("logs the route of a page, but never the link token", async () => {
  await request(edge.port, `GET ${link}`);
  await expect.poll(() => edge.log.some(({ route }) => route === "/verify/:link")).toBe(true);
  expect(JSON.stringify(edge.log)).not.toContain("0".repeat(26));
});
