import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { ReadMessagesResponse } from "#gen/registry/v1/listen_service_pb.js";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import { eventNames, eventTypeOf } from "#shared/events/event-name.ts";
import { hashListenToken, listenSecretOf } from "#shared/keys/listen-token.ts";
import { TokenBuckets } from "#shared/limits/token-buckets.ts";
import { base64Of } from "#shared/text/base64.ts";
import type { Clock } from "#shared/time/clock.ts";
import { parseQueryString } from "../certificates/query-string.ts";
import type { EdgeContext } from "../http/edge-context.ts";
import { jsonType } from "../http/error-document.ts";
import type { Route } from "../http/route.ts";
import { bearerKey, listenTokens } from "../limits/bearer-key.ts";
import type { LookUpKey } from "../limits/look-up-key.ts";
import { refuseIf } from "../limits/refuse-if.ts";
import { SharedBudget } from "../limits/shared-budget.ts";
import type { ListenClient } from "../registry-client/listen-client.ts";
import { listenMessage } from "./listen-message.ts";

const listenPath = "/v1/listen";

export interface ListenRouteDeps {
  readonly listen: ListenClient;
  readonly lookUp: LookUpKey;
  /** Monotonic clock. */
  readonly clock: Clock;
  readonly isStopping: () => boolean;
}

// Shorter than the timeouts of usual proxies.
const waitMs = 20_000;
const pollMs = 1_000;

/**
 * Maximum time of a request in addition to two registry calls. The last call begins at most a pause after
 * {@link waitMs}; the first can wait for the same token's first call in another request.
 */
export const listenMsMax = waitMs + pollMs;

/** How often a token can be used: a listener that gets messages asks again at once. */
export const listenPolicy = { capacity: 30, tokensPerSecond: 2 } as const;
const tokensMax = 10_000;
/** Requests that wait at the same time, in this process. A store has few tokens, so no share of its own. */
export const waitingListenersMax = { all: 200, token: 2 } as const;
// Long enough that refused listeners leave the token's requests to those that wait.
const retryPlaceSeconds = 15;
const waitThenRetry = "Wait for the number of seconds in Retry-After, then retry.";

/** A token that the registry has just found valid, and the response to the call that found it. */
interface Found<T> {
  readonly tokenSha256: Uint8Array;
  readonly response: T;
}

/**
 * Builds the route with which developers receive copies of a store's webhook messages (INTERFACE.md §4.6). GET is a
 * long poll: it returns the messages after a position, or waits for the next. POST sends a sample message.
 *
 * The registry is asked once a second while a request waits, so that a revoked token ends the wait on every replica.
 */
export function listenRoute({ listen, lookUp, clock, isStopping }: ListenRouteDeps): Route {
  const requests = new TokenBuckets(clock, [listenPolicy], tokensMax);
  const waiting = new SharedBudget();

  const withToken = async <T extends { readonly storeId: string }>(
    ctx: EdgeContext,
    token: string,
    call: (tokenSha256: Uint8Array) => Promise<T | undefined>,
  ): Promise<Found<T>> => {
    const tokenSha256 = hashListenToken(token);
    const key = base64Of(tokenSha256);
    const isKnown = (response: T | undefined) => response !== undefined;
    const limited = () => {
      refuseIf(requests.take([key]), `You sent too many requests with this listen token. ${waitThenRetry}`);
      return call(tokenSha256);
    };
    const response = await lookUp(ctx, listenTokens, key, { call: limited, isKnown });
    if (response === undefined) throw listenTokens.unknown;
    ctx.state.storeId = response.storeId;
    return { tokenSha256, response };
  };

  const nextPage = async (ctx: EdgeContext, { tokenSha256, response }: Found<ReadMessagesResponse>, until: number) => {
    using ofToken = waiting.roomIn([{ key: base64Of(tokenSha256), max: waitingListenersMax.token }]);
    const why = `At most ${waitingListenersMax.token} listeners can use a token at the same time. ${waitThenRetry}`;
    refuseIf(ofToken.take(1) ? 0 : retryPlaceSeconds, why);
    using ofAll = waiting.roomIn([{ key: "all", max: waitingListenersMax.all }]);
    if (!ofAll.take(1))
      throw new ServiceError("unavailable", "Too many listeners are waiting for messages. Try again shortly.");
    const { clientSignal } = ctx.state;
    let page = response;
    while (isEmpty(page) && clock.now() < until && !isStopping() && !clientSignal.aborted) {
      await clock.sleep(pollMs, clientSignal);
      const next = await listen.readMessages(tokenSha256, page.position);
      if (next === undefined) throw listenTokens.unknown;
      page = next;
    }
    return page;
  };

  return {
    path: listenPath,
    get: [
      async (ctx) => {
        const token = tokenIn(ctx);
        const after = positionIn(ctx.state.target.rawQuery);
        const until = clock.now() + waitMs;
        const found = await withToken(ctx, token, (tokenSha256) => listen.readMessages(tokenSha256, after));
        const isWaiting = after !== undefined && ctx.method === "GET" && isEmpty(found.response);
        const page = isWaiting ? await nextPage(ctx, found, until) : found.response;
        sendJson(ctx, 200, documentOf(page, listenSecretOf(token)));
      },
    ],
    post: [
      async (ctx) => {
        const token = tokenIn(ctx);
        const event = eventIn(ctx.state.target.rawQuery);
        const { response } = await withToken(ctx, token, (tokenSha256) => listen.sendSample(tokenSha256, event));
        sendJson(ctx, 202, { id: response.deliveryId });
      },
    ],
  };
}

function tokenIn(ctx: EdgeContext): string {
  return bearerKey(ctx.req.headersDistinct.authorization, listenTokens);
}

function isEmpty({ events, missedCount }: ReadMessagesResponse): boolean {
  return events.length === 0 && missedCount === 0;
}

function documentOf({ events, position, missedCount, expiresAt }: ReadMessagesResponse, secret: string) {
  const key = Buffer.from(secret);
  const messages = events.flatMap((event) => listenMessage(event, key) ?? []);
  return {
    messages,
    next: position,
    missed: missedCount + events.length - messages.length,
    signing_secret: secret,
    expires_at: expiresAt && timestampDate(expiresAt).toISOString(),
  };
}

function sendJson(ctx: EdgeContext, status: number, document: object): void {
  ctx.status = status;
  ctx.set("Content-Type", jsonType);
  ctx.body = JSON.stringify(document);
}

/** @throws ServiceError `bad_request` naming `after` */
function positionIn(rawQuery: string): number | undefined {
  const after = parseQueryString(rawQuery, ["after"]).get("after");
  if (after === undefined) return undefined;
  const position = Number(after);
  if (/^\d{1,10}$/.test(after) && position < 2 ** 32) return position;
  throw badRequest("after", "must be the 'next' of an earlier response, or absent.");
}

/** @throws ServiceError `bad_request` naming `event` */
function eventIn(rawQuery: string): EventType {
  const type = eventTypeOf(parseQueryString(rawQuery, ["event"]).get("event") ?? "");
  if (type !== undefined) return type;
  throw badRequest("event", `must be one of ${eventNames.join(", ")}.`);
}
