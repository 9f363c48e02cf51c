import { once } from "node:events";
import { create, toBinary } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import Koa from "koa";
import { expect, test } from "vitest";
import { CertificateEventSchema, EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ReadMessagesResponseSchema } from "#gen/registry/v1/listen_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { generateListenToken } from "#shared/keys/listen-token.ts";
import type { Clock } from "#shared/time/clock.ts";
import { serveHttp } from "../../../test/harness/listeners/serve-http.ts";
import type { EdgeState } from "../http/edge-context.ts";
import { errors } from "../http/errors.ts";
import { requestState } from "../http/request-state.ts";
import type { ListenClient } from "../registry-client/listen-client.ts";
import { listenMsMax, listenRoute, waitingListenersMax } from "./listen-routes.ts";

const emptyPage = create(ReadMessagesResponseSchema, { storeId: "a", position: 1 });

/** @returns a function that asks for the messages after the first */
async function serveListeners(clock: Clock, timeoutMs: number, readMessages: ListenClient["readMessages"]) {
  const { get = [] } = listenRoute({
    listen: { readMessages, sendSample: () => Promise.resolve(undefined) },
    lookUp: (_ctx, _kind, _key, { call }) => call(),
    clock,
    isStopping: () => false,
  });
  const app = new Koa<EdgeState>();
  app.use(errors()).use(requestState([], timeoutMs));
  for (const step of get) app.use(step);
  const url = await serveHttp(app.callback());
  return (token: string, signal?: AbortSignal) =>
    fetch(`${url}/v1/listen?after=1`, { headers: { Authorization: `Bearer ${token}` }, signal: signal ?? null });
}

test.each([50, 2_000, 9_500, 25_000])("a wait with calls of %d ms each ends within its maximum", async (callMs) => {
  let nowMs = 0;
  const take = (durationMs: number) => {
    nowMs += durationMs;
    return Promise.resolve();
  };
  let calls = 0;
  const listen = await serveListeners({ now: () => nowMs, sleep: take }, callMs, async () => {
    await take(callMs);
    // The last call that begins in time takes so long that it fails.
    if (++calls > 1 && nowMs > 20_000) throw new ServiceError("unavailable", "the registry is slow");
    return emptyPage;
  });
  const { status } = await listen(generateListenToken());
  expect([200, 503]).toContain(status);
  expect(nowMs).toBeLessThanOrEqual(listenMsMax + callMs);
});

test("an event of a type that only a later registry knows is left out and counted as missed, and the rest arrives", async () => {
  const events = [EventType.ISSUED, 99 as EventType, EventType.REVOKED].map((type) =>
    toBinary(
      CertificateEventSchema,
      create(CertificateEventSchema, { type, occurredAt: timestampNow(), certificateJson: Buffer.from("{}") }),
    ),
  );
  const page = create(ReadMessagesResponseSchema, { storeId: "a", position: 5, missedCount: 1, events });
  const sleep = () => Promise.resolve();
  const listen = await serveListeners({ now: () => 0, sleep }, 1_000, () => Promise.resolve(page));
  const response = await listen(generateListenToken());
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    messages: [
      { body: expect.stringContaining('"event":"issued"') },
      { body: expect.stringContaining('"event":"revoked"') },
    ],
    next: 5,
    missed: 2,
  });
});

test("a replica has 200 places for listeners, two of them for a token, and frees those of listeners that leave", async () => {
  let waiting = 0;
  const sleep: Clock["sleep"] = async (_durationMs, signal) => {
    waiting++;
    if (signal !== undefined) await once(signal, "abort");
    waiting--;
  };
  const listen = await serveListeners({ now: () => 0, sleep }, 60_000, () => Promise.resolve(emptyPage));
  const isWaiting = (count: number) => expect.poll(() => waiting).toBe(count);
  const leave = new AbortController();
  const wait = (token: string) => listen(token, leave.signal).catch(() => undefined);
  const tokens = Array.from({ length: waitingListenersMax.all / waitingListenersMax.token }, generateListenToken);
  const listeners = tokens.flatMap((token) => [wait(token), wait(token)]);
  await isWaiting(200);
  const [ofToken, ofReplica] = [await listen(tokens[0] ?? ""), await listen(generateListenToken())];
  // A listener too many stays away for longer than one that asks too often.
  expect([ofToken.status, ofToken.headers.get("retry-after")]).toEqual([429, "15"]);
  expect(ofReplica.status).toBe(503);
  expect(await ofReplica.json()).toMatchObject({ message: expect.stringContaining("Too many listeners are waiting") });
  expect(Number(ofReplica.headers.get("retry-after"))).toBeGreaterThan(0);
  leave.abort();
  await Promise.all(listeners);
  await isWaiting(0);
  const leaveAgain = new AbortController();
  const late = listen(generateListenToken(), leaveAgain.signal).catch(() => undefined);
  await isWaiting(1);
  leaveAgain.abort();
  await late;
});
