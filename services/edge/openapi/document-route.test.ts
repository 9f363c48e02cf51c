import { describe, expect, test } from "vitest";
import { request } from "../testing/raw-http.ts";
import { openTestEdge } from "../testing/start-edge.ts";
import { openApiDocument, openApiPath } from "./document.ts";

const edge = await openTestEdge();

const paths = [openApiPath];
const content = Buffer.from(JSON.stringify(openApiDocument));
const plain = { headers: { "Accept-Encoding": "identity" } };
const urlOf = (path: string) => `http://127.0.0.1:${edge.port}${path}`;

describe.each(paths)("%s", (path) => {
  test("requires neither an API key nor the registry, and may be cached", async () => {
    const response = await fetch(urlOf(path), plain);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-encoding")).toBeNull();
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.equals(content)).toBe(true);
  });

  test("is compressed if the client accepts gzip, and the compressed form has its own ETag", async () => {
    const uncompressed = await fetch(urlOf(path), { ...plain, method: "HEAD" });
    const compressed = await fetch(urlOf(path), { method: "HEAD", headers: { "Accept-Encoding": "gzip" } });
    expect(compressed.headers.get("content-encoding")).toBe("gzip");
    expect(compressed.headers.get("vary")).toBe("Accept-Encoding");
    expect(compressed.headers.get("etag")).not.toBe(uncompressed.headers.get("etag"));
    const response = await fetch(urlOf(path));
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
  });

  test("returns 304 for a matching If-None-Match", async () => {
    const first = await request(edge.port, `GET ${path}`);
    const again = await request(edge.port, `GET ${path}`, [`If-None-Match: ${first.headers.etag}`]);
    expect(again).toMatchObject({ status: 304, body: "" });
    expect(again.headers.etag).toBe(first.headers.etag);
    const other = await request(edge.port, `GET ${path}`, ['If-None-Match: "other"']);
    expect(other.status).toBe(200);
  });

  test("returns the same headers for HEAD as for GET, without a body", async () => {
    const get = await request(edge.port, `GET ${path}`);
    const head = await request(edge.port, `HEAD ${path}`);
    const { "x-request-id": _one, date: _then, ...expected } = get.headers;
    expect(head).toMatchObject({ status: 200, body: "", headers: expected });
  });

  test("rejects POST and a trailing slash", async () => {
    const headers = { allow: "GET, HEAD", "cache-control": "no-store" };
    expect(await request(edge.port, `POST ${path}`)).toMatchObject({ status: 405, headers });
    expect((await request(edge.port, `GET ${path}/`)).status).toBe(404);
  });
});
