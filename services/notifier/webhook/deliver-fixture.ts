import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { reasonText } from "#shared/reasons/reason-text.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { createDeliver, type Delivery } from "./deliver.ts";
import { loopbackGuard } from "./guard-fixture.ts";
import { createAddressResolver } from "./resolve-addresses.ts";
import { deliverySecureContext } from "./secure-context.ts";
import { type Attempt, createSend, type SendOptions } from "./send-message.ts";
import { TlsSessions } from "./tls-sessions.ts";

/** Overrides of the default options and content of a test delivery. */
export type DeliveryChange = Partial<SendOptions & Delivery>;

/** An attempt whose reason is in English. */
type ShownAttempt = Omit<Attempt, "reason"> & { readonly reason: string };

/**
 * Creates a function that delivers one message to a port of this machine, or to a URL.
 *
 * @param caPem certificate of an authority to trust in addition to the public ones
 */
export function deliverTrusting(caPem: string | undefined) {
  const options: SendOptions = {
    secureContext: deliverySecureContext({ extraAuthoritiesPem: caPem }),
    sessions: new TlsSessions(0, steadyClock),
    guard: loopbackGuard,
    resolveAddresses: createAddressResolver(),
    lookUpTimeoutMs: 20_000,
    connectTimeoutMs: 20_000,
    tlsTimeoutMs: 20_000,
    sendTimeoutMs: 20_000,
    replyTimeoutMs: 20_000,
  };
  const delivery = {
    eventId: "event-1",
    body: Buffer.from('{"version":2,"certificate":{"title":"Él \\u0001"}}'),
    secret: Buffer.from("whsec_test"),
  };
  return async (
    target: number | string,
    change: DeliveryChange = {},
    signal = new AbortController().signal,
  ): Promise<ShownAttempt> => {
    const url = typeof target === "string" ? target : `https://127.0.0.1:${target}/hook?token=hidden`;
    const deliver = createDeliver(createSend({ ...options, ...change }));
    const attempt = await deliver({ ...delivery, url, ...change }, signal);
    return { ...attempt, reason: reasonText(attempt.reason, "en") };
  };
}

/** Stops a server after the current test. @returns the server */
export function stopAfterTest<Server extends { stop(): Promise<void> }>(server: Server): Server {
  onTestFinished(() => server.stop());
  return server;
}

/** Options for `expect.poll` that tolerate a busy machine. */
export const patient = { timeout: 25_000, interval: 10 };

/** Fails the test file if an exception remains uncaught. */
export function expectNoUncaughtException(): void {
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown) => void uncaught.push(error);
  beforeAll(() => void process.on("uncaughtExceptionMonitor", onUncaught));
  afterAll(() => {
    process.off("uncaughtExceptionMonitor", onUncaught);
    expect(uncaught).toEqual([]);
  });
}
