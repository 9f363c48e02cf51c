import { type Attempt, createDeliver, type DeliverOptions, type Delivery } from "./deliver.ts";
import { loopbackGuard } from "./guard-fixture.ts";
import { createAddressResolver } from "./resolve-addresses.ts";
import { deliverySecureContext } from "./secure-context.ts";

/** What a test says of a delivery that is to be otherwise. */
export type DeliveryChange = Partial<DeliverOptions & Delivery>;

/** Makes a function that delivers one message to a port of this machine, or to a URL, with short limits. @param caPem an authority trusted beside the public ones */
export function deliverTrusting(caPem: string | undefined) {
  const options: DeliverOptions = {
    secureContext: deliverySecureContext({ extraAuthoritiesPem: caPem }),
    guard: loopbackGuard,
    resolveAddresses: createAddressResolver(),
    lookUpTimeoutMs: 2_000,
    connectTimeoutMs: 2_000,
    tlsTimeoutMs: 2_000,
    sendTimeoutMs: 2_000,
    replyTimeoutMs: 2_000,
  };
  const delivery = {
    eventId: "event-1",
    body: Buffer.from('{"version":2,"certificate":{"title":"Él \\u0001"}}'),
    secret: Buffer.from("whsec_test"),
  };
  return (
    target: number | string,
    change: DeliveryChange = {},
    cut = new AbortController().signal,
  ): Promise<Attempt> => {
    const url = typeof target === "string" ? target : `https://127.0.0.1:${target}/hook?token=hidden`;
    return createDeliver({ ...options, ...change })({ ...delivery, url, ...change }, cut);
  };
}
