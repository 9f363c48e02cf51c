import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { longestTurnCpuMs } from "../../../test/harness/turns/longest-turn.ts";
import { readMessageInTurn } from "./read-message-in-turn.ts";
import { shopifyAdapter } from "./shopify/shopify-adapter.ts";

const bytesMax = 5 * 1_024 * 1_024 - 1_000;
const times = { created_at: "2030-01-31T10:00:00Z", updated_at: "2030-01-31T10:00:00Z" };
const head = JSON.stringify({ id: 1, name: "#1", title: "Poster", ...times, line_items: [] }).slice(0, -1);

function read(topic: string, body: string, shop = "linden.example.test") {
  const headers = { topic, shop, messageId: "1", triggeredAt: times.updated_at };
  return readMessageInTurn(shopifyAdapter, { headers, body: Buffer.from(body) });
}

/** Returns a body of 5 MiB with a list of as many elements as a message may have. */
function bodyWith(field: string, element: string): string {
  const body = `${head},"${field}":[${`${element},`.repeat(140_000)}${element}]}`;
  return body.padEnd(bytesMax, " ");
}

/** Returns the next thread that starts. */
function nextThread(): Promise<Worker> {
  const { promise, resolve } = Promise.withResolvers<Worker>();
  const onThread = (message: unknown) => {
    unsubscribe("worker_threads", onThread);
    resolve((message as { readonly worker: Worker }).worker);
  };
  subscribe("worker_threads", onThread);
  return promise;
}

// First, because it needs the start of the thread.
test("a message whose thread ends fails, and the next is read in a new thread", async () => {
  const body = bodyWith("unknown", '""');
  const first = nextThread();
  const failed = expect(read("orders/paid", body)).rejects.toThrow("aborted");
  await (await first).terminate();
  await failed;
  const second = nextThread();
  expect(await read("orders/paid", body)).toMatchObject({ content: { case: "order" } });

  // The error arrives before the end of the thread; a message that waits must not be sent to it in between.
  const waiting = [read("orders/paid", body), read("orders/paid", body), read("orders/paid", body)];
  (await second).postMessage({ platform: "unknown" });
  const [, , last] = await Promise.allSettled(waiting);
  expect(last).toMatchObject({ status: "fulfilled" });
}, 120_000);

test.each([
  ["orders/paid", "unknown", '""', "order"],
  ["orders/paid", "line_items", "{}", "unreadable"],
  ["products/update", "tags", "0", "unreadable"],
])(
  "a body of 5 MiB delays no other request: %s with %s of %s",
  { timeout: 120_000 },
  async (topic, field, element, content) => {
    const body = bodyWith(field, element);
    let message: Awaited<ReturnType<typeof read>>;
    const turnMs = await longestTurnCpuMs(async () => {
      message = await read(topic, body);
    }, 50);
    expect(message?.content.case).toBe(content);
    expect(turnMs).toBeLessThan(50);
  },
);

test("large bodies are translated and refused like small ones", { timeout: 120_000 }, async () => {
  const space = " ".repeat(200_000);
  for (const padding of ["", space]) {
    const product = await read("products/update", `${head},"tags":"limited, signed"${padding}}`);
    expect(product).toMatchObject({ shop: "linden.example.test", content: { value: { tags: ["limited", "signed"] } } });
    expect(product?.triggeredAt?.seconds).toBe(1_896_084_000n);
    expect(await read("carts/update", `${head}${padding}}`)).toBeUndefined();
    await expect(read("orders/paid", `[${padding}]`)).rejects.toMatchObject({ code: "bad_request", field: "body" });
    const foreign = `${head},"shop_domain":"other.example.test"${padding}}`;
    await expect(read("orders/paid", foreign)).rejects.toThrow("body names another store than the header");
    await expect(read("", `${head}${padding}}`, "")).resolves.toBeUndefined();
  }
});
