import { describe, expect, test } from "vitest";
import { request } from "../testing/raw-http.ts";
import { openTestEdge } from "../testing/start-edge.ts";
import { loadGuide } from "./guide-pages.ts";

const edge = await openTestEdge();

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${edge.port}${path}`, { headers });
const guide = loadGuide();

describe.each(guide)("the page $slug", ({ slug, title, markdown }) => {
  const path = slug === "quick-start" ? "/docs" : `/docs/${slug}`;

  test("is served without a key and without the registry, with a content security policy that permits only this host", async () => {
    const response = await get(path, { accept: "text/html,*/*;q=0.8" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    expect(response.headers.get("vary")).toBe("Accept-Encoding, Accept");
    expect(response.headers.get("content-security-policy")).not.toMatch(/unsafe|https?:|\*/);
    const html = await response.text();
    expect(html).toContain(`>${title}</h1>`);
    expect(html).not.toMatch(/ style=|<style|(src|href)="(https?:)?\/\/(?!github\.com\/openapi-generators)/);
  });

  test("is served as Markdown under its file name, and to clients that prefer Markdown", async () => {
    const file = await get(`/docs/${slug}.md`);
    expect(file.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(await file.text()).toBe(markdown);
    const preferred = await get(path, { accept: "text/markdown, text/html;q=0.5" });
    expect(preferred.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(await preferred.text()).toContain(`# ${title}\n`);
  });

  test("returns 304 if the client already has the current version", async () => {
    // Not `fetch`: it adds `Cache-Control: no-cache` to conditional requests, and the server then never sends 304.
    const { headers } = await request(edge.port, `GET ${path}`);
    const again = await request(edge.port, `GET ${path}`, [`If-None-Match: ${headers.etag}`]);
    expect(again).toMatchObject({ status: 304, body: "" });
  });
});

test.each([
  ["/llms.txt", "/"],
  ["/docs/llms.txt", "/docs/"],
])("%s links to the Markdown of every page, and every link works", async (path, folder) => {
  const text = await (await get(path)).text();
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(
    ([, link = ""]) => new URL(link, `http://host${folder}`).pathname,
  );
  expect(links).toEqual([...guide.map(({ slug }) => `/docs/${slug}.md`), "/v1/openapi.json", "/docs/llms-full.txt"]);
  for (const link of links) expect((await get(link)).status, link).toBe(200);
});

test("/docs is served as Markdown at /docs.md too", async () => {
  const response = await get("/docs.md");
  expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  expect(await response.text()).toBe(await (await get("/docs", { accept: "text/markdown" })).text());
});

test.each(["GET /docs/", "HEAD /docs/", "GET /docs/quick-start"])("%s redirects to /docs", async (line) => {
  const { status, headers } = await request(edge.port, line);
  expect({ status, location: headers.location }).toEqual({ status: 308, location: "../docs" });
});

test("links in the Markdown of /docs are relative to /docs, and every link works", async () => {
  const text = await (await get("/docs", { accept: "text/markdown" })).text();
  const links = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(
    ([, link = ""]) => new URL(link, "http://host/docs").pathname,
  );
  expect(links.length).toBeGreaterThan(2);
  for (const link of links) expect((await get(link)).status, link).toBe(200);
});

test("the client library has no address without a version", async () => {
  const response = await get("/docs/client.tgz");
  expect([response.status, await response.text()]).toEqual([
    410,
    expect.stringContaining("an address for each version"),
  ]);
});

test("the guide installs no archive of the Python library that this edge lacks", async () => {
  const text = await (await get("/docs/libraries.md")).text();
  const names = Array.from(text.matchAll(/\/docs\/(certificate_registry_client-[\w.-]+)/g), ([, name = ""]) => name);
  for (const name of names) expect((await get(`/docs/${name}`)).status, name).toBe(200);
});

test.each([
  ["one.whl", 'pip install "$REGISTRY_URL/docs/one.whl"', "npm run pack:client-python"],
  [undefined, "npm run pack:client-python", 'pip install "$REGISTRY_URL'],
])("with the wheel %s, the guide says how to install or build the Python library", (wheel, said, unsaid) => {
  const pages = loadGuide({ client: "one.tgz", wheel });
  const text = pages.find(({ slug }) => slug === "libraries")?.markdown;
  expect(text).toContain(said);
  expect(text).not.toContain(unsaid);
  expect(text).not.toContain("{{");
});

test("the changes are an Atom feed with an entry for each day, whose links lead to the guide", async () => {
  const response = await get("/docs/changes.atom");
  expect(response.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
  const feed = await response.text();
  const days = [...(guide.find(({ slug }) => slug === "changes")?.markdown.matchAll(/^## (.+)$/gm) ?? [])];
  expect([...feed.matchAll(/<id>urn:certificate-registry:changes:(.+)<\/id>/g)].map(([, day]) => day)).toEqual(
    days.map(([, day]) => day),
  );
  expect(feed).toMatch(/^<\?xml version="1.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www.w3.org\/2005\/Atom">/);
  const links = [...feed.matchAll(/href=(?:"|&quot;)([\w.#-]+)(?:"|&quot;)/g)].map(([, link = ""]) => link);
  for (const link of links) expect((await get(`/docs/${link}`)).status, link).toBe(200);
});

test("the API explorer loads only files of this service, whose names change with their content", async () => {
  const response = await get("/docs/api");
  expect(response.headers.get("content-security-policy")).not.toMatch(/unsafe|https?:|\*/);
  const html = await response.text();
  expect(html).not.toMatch(/<style| style=|<script>/);
  const loaded = [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="(assets\/[^"]+)"/g)].map(([, url = ""]) => url);
  expect(loaded).toHaveLength(4);
  for (const url of loaded) {
    const file = await get(`/docs/${url}`);
    expect([file.status, file.headers.get("cache-control")], url).toEqual([200, expect.stringContaining("immutable")]);
  }
});

test("requests for unknown pages and files return 404", async () => {
  for (const path of ["/docs/unknown", "/docs/unknown.md", "/docs/assets/unknown.css"])
    expect((await get(path)).status, path).toBe(404);
});
