import Koa from "koa";
import { expect, test } from "vitest";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { serveHttp } from "../../../test/harness/listeners/serve-http.ts";
import type { EdgeState } from "./edge-context.ts";
import { errors } from "./errors.ts";

/** Sends a request to an app that always fails. @param random determines Retry-After; from 0 to 1 */
async function responseTo(code: ErrorCode, random: number, retryAfterSeconds?: number): Promise<Response> {
  const app = new Koa<EdgeState>();
  app.use(errors(() => random));
  app.use(() => {
    throw new ServiceError(code, reason("internal_error"), { retryAfterSeconds });
  });
  return fetch(await serveHttp(app.callback()));
}

test.each([
  [0, "1"],
  [0.5, "3"],
  [0.999, "5"],
])("a 503 asks clients to retry after a random time of 1 to 5 seconds (%f: %s s)", async (random, seconds) => {
  const response = await responseTo("unavailable", random);
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, seconds]);
});

test("an error that states when to retry is sent with that time", async () => {
  const response = await responseTo("rate_limited", 0.5, 17);
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "17"]);
});

test("a 400 has no Retry-After header", async () => {
  const response = await responseTo("bad_request", 0.5);
  expect([response.status, response.headers.has("retry-after")]).toEqual([400, false]);
});
