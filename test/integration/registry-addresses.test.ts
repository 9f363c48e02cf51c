import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { steadyClock } from "#shared/time/clock.ts";
import { ListExchange } from "../../services/edge/registry-client/list-exchange/list-exchange.ts";
import { eventually } from "../harness/eventually.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const env = { REGISTRY_RATE_LIMIT: "10000" };
const first = await openTestRegistry({ env });
const second = await openTestRegistry({ database: first.database, env });

const streams = async ({ operationsUrl }: TestRegistry) =>
  (await metricValues(operationsUrl, "registry_list_streams"))[""];

test("switches to a name's new addresses without failing a request, and keeps them while the name cannot be resolved", async () => {
  const { keySha256 } = await createKeyedStore(first);
  let addresses: readonly string[] | undefined = [first.address];
  const exchange = new ListExchange({
    address: "dns:///registry.example.test:9090",
    clock: steadyClock,
    resolve: async () => {
      if (addresses === undefined) throw new Error("the name cannot be resolved");
      return addresses;
    },
    resolveEveryMs: 20,
  });
  onTestFinished(() => exchange.close());
  const list = () =>
    exchange.handleList(
      { keySha256, admissionId: randomBytes(16) },
      { requestId: "test", timeoutMs: 20_000, signal: new AbortController().signal },
    );
  let isRunning = true;
  const repeat = async () => {
    while (isRunning) await list();
  };
  const requests = Promise.all([repeat(), repeat()]);
  await eventually(async () => expect(await streams(first)).toBe(1));
  addresses = [second.address, first.address];
  await eventually(async () => expect(await streams(second)).toBe(1));
  addresses = [second.address];
  await eventually(async () => expect(await streams(first)).toBe(0));
  addresses = undefined;
  await delay(100);
  isRunning = false;
  await requests;
  await list();
  expect([await streams(first), await streams(second)]).toEqual([0, 1]);
});
