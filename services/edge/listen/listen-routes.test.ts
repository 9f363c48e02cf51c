import { create } from "@bufbuild/protobuf";
import Koa from "koa";
import { expect, test } from "vitest";
import { ReadMessagesResponseSchema } from "#gen/registry/v1/listen_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { generateListenToken } from "#shared/keys/listen-token.ts";
import { serveHttp } from "../../../test/harness/listeners/serve-http.ts";
import type { EdgeState } from "../http/edge-context.ts";
import { errors } from "../http/errors.ts";
import { requestState } from "../http/request-state.ts";
import { listenMsMax, listenRoute } from "./listen-routes.ts";

test.each([50, 2_000, 9_500, 25_000])("a wait with calls of %d ms each ends within its maximum", async (callMs) => {
  let nowMs = 0;
  const take = (durationMs: number) => {
    nowMs += durationMs;
    return Promise.resolve();
  };
  let calls = 0;
  const { get = [] } = listenRoute({
    listen: {
      async readMessages() {
        await take(callMs);
        // The last call that begins in time takes so long that it fails.
        if (++calls > 1 && nowMs > 20_000) throw new ServiceError("unavailable", "the registry is slow");
        return create(ReadMessagesResponseSchema, { storeId: "a", position: 1 });
      },
      sendSample: () => Promise.resolve(undefined),
    },
    lookUp: (_ctx, _kind, _key, { call }) => call(),
    clock: { now: () => nowMs, sleep: take },
    isStopping: () => false,
  });
  const app = new Koa<EdgeState>();
  app.use(errors()).use(requestState([], callMs));
  for (const step of get) app.use(step);
  const url = await serveHttp(app.callback());
  const headers = { Authorization: `Bearer ${generateListenToken()}` };
  const { status } = await fetch(`${url}/v1/listen?after=1`, { headers });
  expect([200, 503]).toContain(status);
  expect(nowMs).toBeLessThanOrEqual(listenMsMax + callMs);
});
