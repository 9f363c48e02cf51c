import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { metricValues } from "../harness/metric-values.ts";
import { newOrderId, orderPayload } from "../harness/storefront/order-payload.ts";
import { openStorefrontRig } from "../integration/storefront-rig.ts";

const { app, edge, edgeUrl, openShop } = await openStorefrontRig();
const operationsUrl = `http://127.0.0.1:${edge.operationsPort}`;
const mib = 1_024 * 1_024;
const path = "/storefront/shopify/webhooks";

interface Sender {
  /** Loopback address to send from. The edge treats each address as a separate client. */
  readonly address: string;
  readonly shop: string;
}

const headOf = (to: string, shop: string, bytes: number) =>
  [
    `POST ${to} HTTP/1.1`,
    ...["Host: edge", `Content-Length: ${bytes}`, "X-Shopify-Topic: orders/paid", `X-Shopify-Shop-Domain: ${shop}`],
    "\r\n",
  ].join("\r\n");

function open(address: string): Socket {
  const socket = connect({ host: "127.0.0.1", port: edge.port, localAddress: address });
  // Resets the connection, because after an orderly close the edge would first send a response.
  onTestFinished(() => void socket.resetAndDestroy());
  return socket.on("error", () => undefined);
}

/** Sends a body without its last byte. */
async function sendUnfinished({ address, shop }: Sender, bytes: number): Promise<Socket> {
  const socket = open(address);
  socket.write(headOf(path, shop, bytes + 1));
  await new Promise<void>((resolve) => {
    // The edge closes the connection of a refused request while the body is being written.
    socket.once("close", () => resolve());
    socket.write(Buffer.alloc(bytes, 32), () => resolve());
  });
  return socket;
}

/** Waits for a response. @returns its first chunk */
async function responseOn(socket: Socket): Promise<string> {
  const [data] = await once(socket, "data");
  return String(data);
}

/**
 * Sends unfinished bodies until less than 1 MiB is free in the senders' share of the memory limit. The small bodies
 * fill what remains once a large one is refused.
 *
 * @param senderOf returns the sender of the body with the given index
 */
async function fillRoom(senderOf: (index: number) => Sender): Promise<void> {
  // Sent one after another, because bodies that are refused at the same time would leave more memory free.
  for (const [count, bytes] of [
    [24, 4 * mib],
    [16, mib / 2],
    [16, mib / 8],
  ] as const)
    for (let index = 0; index < count; index += 1) await sendUnfinished(senderOf(index), bytes);
}

const payload = () => orderPayload({ id: newOrderId(), note: "x".repeat(mib) });

async function statusOf(shop: string): Promise<number> {
  return (await app.send(edgeUrl, { shop, topic: "orders/paid", payload: payload() })).status;
}

test("accepts the platform's messages while one client sends unfinished bodies", async () => {
  const { shop, send } = await openShop();
  await send("orders/paid", payload());
  await fillRoom(() => ({ address: "127.0.0.9", shop }));
  expect(await statusOf(shop)).toBe(200);
});

test("accepts the first message of a store while one client sends unfinished bodies for unknown stores", async () => {
  const { shop } = await openShop();
  await fillRoom((index) => ({ address: "127.0.0.7", shop: `unknown-${index}.example.test` }));
  expect(await statusOf(shop)).toBe(200);
});

test("counts a body whose client disconnects as incomplete, and not as a failure of the registry", async () => {
  const { shop } = await openShop();
  const counted = async () => {
    const counts = await metricValues(operationsUrl, "edge_storefront_messages_total");
    return ["incomplete", "failed"].map((outcome) => counts[`platform="shopify",outcome="${outcome}"`] ?? 0);
  };
  const [incomplete = 0, failed] = await counted();
  const socket = await sendUnfinished({ address: "127.0.0.6", shop }, mib);
  socket.resetAndDestroy();
  await expect.poll(counted).toEqual([incomplete + 1, failed]);
});

test("accepts messages of a known store while many clients send unfinished bodies for unknown stores", async () => {
  const { shop, send } = await openShop();
  await send("orders/paid", payload());
  await fillRoom((index) => ({ address: `127.0.1.${1 + (index % 16)}`, shop: `unknown-${index}.example.test` }));
  expect(await statusOf(shop)).toBe(200);
});

test("a signed message that names no store does not make the stores known for which it is repeated", async () => {
  const { shop, send } = await openShop();
  await send("orders/paid", payload());
  const invented = (index: number) => `invented-${index}.example.test`;
  for (let index = 0; index < 24; index += 1) {
    const repeated = { shop: invented(index), topic: "orders/edited", payload: "{}" };
    expect((await app.send(edgeUrl, repeated)).status).toBe(200);
  }
  await fillRoom((index) => ({ address: `127.0.3.${1 + (index % 16)}`, shop: invented(index) }));
  expect(await statusOf(shop)).toBe(200);
});

test("a signed message of a store that does not exist does not make the store known", async () => {
  const { shop, send } = await openShop();
  await send("orders/paid", payload());
  const invented = (index: number) => `missing-${index}.example.test`;
  for (let index = 0; index < 24; index += 1) {
    const ignored = { shop: invented(index), topic: "app/uninstalled", payload: { domain: invented(index) } };
    expect((await app.send(edgeUrl, ignored)).status).toBe(200);
  }
  await fillRoom((index) => ({ address: `127.0.4.${1 + (index % 16)}`, shop: invented(index) }));
  expect(await statusOf(shop)).toBe(200);
});

test("accepts messages of a known store while many clients send unfinished bodies for another known store", async () => {
  const [victim, other] = [await openShop(), await openShop()];
  for (const { send } of [victim, other]) await send("orders/paid", payload());
  await fillRoom((index) => ({ address: `127.0.2.${1 + (index % 16)}`, shop: victim.shop }));
  expect(await statusOf(other.shop)).toBe(200);
});

test("responds with 408 to a body that takes longer than five seconds, and frees its share of the memory limit", async () => {
  const { shop, send } = await openShop();
  await send("orders/paid", payload());
  const address = "127.0.0.8";
  for (let round = 0; round < 2; round += 1) {
    const senders = Array.from({ length: 2 }, () => sendUnfinished({ address, shop }, 4 * mib));
    for (const socket of await Promise.all(senders))
      expect(await responseOn(socket)).toMatch(/^HTTP\/1\.1 408 .*"bad_request".*5 seconds/s);
  }
});

test("does not count a body that arrives after the response to its request against the memory limit", async () => {
  const { shop, send } = await openShop();
  await send("orders/paid", payload());
  for (let round = 0; round < 20; round += 1) {
    const socket = open("127.0.0.1");
    socket.write(headOf("/storefront/other/webhooks", shop, 4 * mib));
    expect(await responseOn(socket)).toMatch(/^HTTP\/1\.1 404 /);
    await new Promise((resolve) => socket.write(Buffer.alloc(4 * mib, 32), resolve));
  }
  expect(await statusOf(shop)).toBe(200);
});
