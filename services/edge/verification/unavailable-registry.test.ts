import { afterAll, beforeAll, expect, test } from "vitest";
import { request } from "../testing/raw-http.ts";
import { startEdge, type TestEdge } from "../testing/start-edge.ts";

let edge: TestEdge;
beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.stop());

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

test("logs the route of a page, but never the link token", async () => {
  await request(edge.port, `GET ${link}`);
  await expect.poll(() => edge.log.some(({ route }) => route === "/verify/:link")).toBe(true);
  expect(JSON.stringify(edge.log)).not.toContain("0".repeat(26));
});
