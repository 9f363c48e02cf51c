import Koa from "koa";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { serveHttp } from "../../../test/harness/listeners/serve-http.ts";
import { request } from "../testing/raw-http.ts";
import { openTestEdge } from "../testing/start-edge.ts";
import type { EdgeState } from "./edge-context.ts";
import { observeRequests } from "./observe-requests.ts";
import { requestState } from "./request-state.ts";

const edge = await openTestEdge();

/** Sends a request and returns its lines in the request log. */
async function linesOf(target: string): Promise<Record<string, unknown>[]> {
  const logged = () => edge.log.filter(({ msg }) => msg === "request");
  const before = logged().length;
  await request(edge.port, `GET ${target}`, [`Authorization: Bearer ${generateApiKey()}`]);
  await expect.poll(() => logged().length).toBeGreaterThan(before);
  return logged().slice(before);
}

const key = generateApiKey();

test.each([
  ["an API key without its prefix", `/${key.slice("crk_".length)}`, key.slice(10, 30)],
  ["an API key", `/v1/${key}`, key.slice(4, 20)],
  ["an e-mail address", "/v1/certificate/ada@example.com", "ada@"],
  ["a cursor", "/v1/certificate/AQAAAZypRQp7GZNvYGpZX6pl2a72xelrHA", "AQAAAZyp"],
  ["a signing secret", "/whsec_c2VjcmV0LW9mLXRoZS10ZXN0", "c2VjcmV0"],
])("does not log %s in an unknown path", async (_name, target, text) => {
  const lines = await linesOf(target);
  expect(lines).toMatchObject([{ route: "none", status: 404 }]);
  expect(JSON.stringify(lines)).not.toContain(text);
});

test("logs the matched route, but neither the query nor the API key", async () => {
  const lines = await linesOf("/v1/certificates?email=ada@example.com&cursor=AQAAAZypRQp7GZNvYGpZX6pl2a72xelrHA");
  expect(lines.at(-1)).toMatchObject({ route: "/v1/certificates" });
  expect(JSON.stringify(lines)).not.toMatch(/ada@|AQAAAZyp|crk_/);
});

test.each(["ada@example.com", "AQAAAZypRQp7GZNvYGpZX6pl2a72xelrHA", key])(
  "logs the route of a request for one certificate, but not what its client sent as the id: %s",
  async (text) => {
    const lines = await linesOf(`/v1/certificates/${text}`);
    expect(lines).toMatchObject([{ route: "/v1/certificates/:id" }]);
    expect(JSON.stringify(lines)).not.toContain(text);
  },
);

test("logs a page that leaves out parts as a warning, with the reason of each part", async () => {
  const app = new Koa<EdgeState>();
  app.use(requestState([], 60_000));
  const { logger, lines } = captureLog();
  app.use(observeRequests(logger, new Registry()));
  app.use((ctx) => {
    const cause = new Error("the connection to the database is lost");
    ctx.state.omitted = { webhook: new ServiceError("unavailable", "Try again later.", { cause }) };
    ctx.body = "the other parts";
  });
  await fetch(`${await serveHttp(app.callback())}/settings`);
  await expect
    .poll(() => lines)
    .toMatchObject([{ level: 40, status: 200, omitted: { webhook: "the connection to the database is lost" } }]);
});
