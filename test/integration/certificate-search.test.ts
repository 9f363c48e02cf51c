import { MongoServerError } from "mongodb";
import { describe, expect, test, vi } from "vitest";
import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import type { FindCertificatesRequest } from "#gen/registry/v1/inspection_service_pb.js";
import type { PageRequest } from "../../services/registry/certificates/list-certificates.ts";
import { parseSearch } from "../../services/registry/certificates/parse-search.ts";
import { feedCursor, feedQuery } from "../../services/registry/mongo/certificates/feed-query.ts";
import { planSearch, searchBounds } from "../../services/registry/mongo/certificates/plan-search.ts";
import { insertVariants } from "../harness/bulk-certificates.ts";
import { inStore } from "../harness/in-store.ts";
import { issueInNewStore, issueOne } from "../harness/issue-items.ts";
import { stagesOf, walksIndexes } from "../harness/query-plans.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";
import { issueTitled, titlesOf } from "./titled-certificates.ts";

const registry = await openTestRegistry();
const { certificates } = registry.database.collections;

async function search(
  storeId: string,
  text: string,
  request: Partial<Pick<FindCertificatesRequest, "status" | "serial">> = {},
) {
  const page = await registry.inspection.findCertificates(
    { search: text, limit: 100, newestFirst: true, ...request },
    inStore(storeId),
  );
  return titlesOf(page.certificates.map((one) => JSON.parse(JSON.stringify(one))));
}

describe("a search finds certificates, most recently changed first,", async () => {
  const storeId = await issueTitled(registry, {
    "Double Vase": {
      buyer: { name: "Grace Hopper", email: "g.hopper@example.test" },
      product: { sku: "WAL-AZ-01", variant: "Large" },
      order: { id: "9001", name: "#1015", unit: 1 },
    },
    "Tall Vase": {
      buyer: { name: "Łukasz Grażyński", email: "lukasz@example.test" },
      product: { sku: "WAL-BK-02" },
      order: { id: "9002", name: "#10150", unit: 1 },
    },
    青い花瓶: {
      buyer: { name: "山田 太郎", email: "taro@example.test" },
      order: { id: "9003", name: "#EU-7", unit: 1 },
    },
  });
  // Another store's certificate with the same words.
  await issueTitled(registry, { "Double Vase": { buyer: { name: "Grace Hopper" } } });

  test.each<[string, readonly string[]]>([
    ["grace", ["Double Vase"]],
    ["HOPP", ["Double Vase"]],
    ["g.hopper@", ["Double Vase"]],
    ["hopper@", []],
    ["lukasz GRAZYN", ["Tall Vase"]],
    ["vase", ["Tall Vase", "Double Vase"]],
    ["vase grace", ["Double Vase"]],
    ["vase ada", []],
    ["WAL-AZ", ["Double Vase"]],
    ["wal", ["Tall Vase", "Double Vase"]],
    ["large", ["Double Vase"]],
    ["1015", ["Double Vase"]],
    ["#1015", ["Double Vase"]],
    ["#10150", ["Tall Vase"]],
    ["eu-7", ["青い花瓶"]],
    ["#eu", ["青い花瓶"]],
    ["000002", ["Tall Vase"]],
    ["2", ["Tall Vase"]],
    ["#2", []],
    ["花瓶", ["青い花瓶"]],
    ["山田", ["青い花瓶"]],
    ["rac", []],
    ["015", []],
    ["✨", []],
  ])("by %j", async (text, found) => {
    expect(await search(storeId, text)).toEqual(found);
  });

  test("together with the other filters", async () => {
    expect(await search(storeId, "vase", { status: StatusFilter.REVOKED })).toEqual([]);
    expect(await search(storeId, "vase", { status: StatusFilter.ACTIVE, serial: "1" })).toEqual(["Double Vase"]);
  });
});

test("a certificate is found by its new owner after a transfer, and no longer by the former one", async () => {
  const storeId = await createTestStore(registry);
  const certificateId = await issueOne(registry, storeId, {
    buyer: { name: "Grace Hopper", email: "grace@example.test" },
  });
  const to = { newOwnerName: "Ada Byron", newOwnerEmail: "ada@example.test" };
  await registry.lifecycle.transferCertificate({ certificateId, ...to }, inStore(storeId));
  expect(await search(storeId, "byron")).toHaveLength(1);
  expect(await search(storeId, "grace")).toEqual([]);
  expect((await certificates.findOne({ _id: certificateId }))?.words).not.toContain("grace");
});

describe("a search in a store with more certificates than a page may read", async () => {
  const count = 300;
  const { storeId } = await issueInNewStore(registry, { product: { title: "Common Vase" } });
  const signal = AbortSignal.timeout(60_000);
  await insertVariants(registry.database.collections, storeId, { count, signal, onProgress: () => undefined });
  const bounds = { withWordMax: 20, scannedMax: 100 };
  const remainingMs = () => 10_000;
  const parsed = (text: string) => {
    const found = parseSearch(text);
    if (found === undefined) throw new Error(`${text} has no words`);
    return found;
  };
  const planFor = (text: string, filter: PageRequest["filter"]) =>
    planSearch(certificates, storeId, parsed(text), { filter, remainingMs }, bounds);

  test("reads certificates with a rare word, and none that follow them", async () => {
    const plan = await planFor("vase 17", {});
    expect(plan).toMatchObject({
      isByWord: true,
      end: undefined,
      search: { words: [{ kind: "is" }, { kind: "begins" }] },
    });
  });

  test("reads the list's order if the words cannot be counted in time", async () => {
    vi.spyOn(certificates, "find").mockImplementationOnce(() => {
      throw new MongoServerError({ message: "operation exceeded time limit", code: 50 });
    });
    expect(await planFor("vase 17", {})).toMatchObject({ isByWord: false, end: expect.any(Date) });
  });

  test.each([
    ["newest first", { newestBefore: new Date("9999-01-01") }],
    ["oldest first", {}],
  ])("continues after each bounded part until all have been read, %s", async (_order, start) => {
    const read: number[] = [];
    let filter: PageRequest["filter"] = start;
    for (let parts = 1; ; parts++) {
      const plan = await planFor("common vase", filter);
      expect(plan.isByWord).toBe(false);
      const query = feedQuery(storeId, filter, 1_000, new Date(), { plan });
      const found = await feedCursor(certificates, query).toArray();
      expect(found.length).toBeLessThanOrEqual(bounds.scannedMax);
      read.push(...found.map(({ serial }) => serial));
      if (plan.end === undefined) break;
      expect(parts).toBeLessThan(5);
      filter = filter.newestBefore === undefined ? { changedAfter: plan.end } : { newestBefore: plan.end };
    }
    expect(new Set(read).size).toBe(count);
    expect(read).toHaveLength(count);
  });

  test("every page that is not the last states where the next one continues, and how far it has examined", async () => {
    const {
      certificates: found,
      next,
      examinedTo,
    } = await registry.inspection.findCertificates(
      { search: "common", limit: 10, newestFirst: true },
      inStore(storeId),
    );
    expect([found.length, next === undefined, examinedTo]).toEqual([10, false, undefined]);
  });

  test.skipIf(!(await walksIndexes(registry.database.db)))("reads bounded numbers of keys and documents", async () => {
    for (const text of ["17", "vase 17", "common", "common vase buyer7"]) {
      const filter = { newestBefore: new Date("9999-01-01") };
      const plan = await planFor(text, filter);
      const cursor = feedCursor(certificates, feedQuery(storeId, filter, 25, new Date(), { plan }));
      const { queryPlanner, executionStats } = await cursor.explain("executionStats");
      expect(stagesOf(queryPlanner.winningPlan)).toContain("IXSCAN");
      expect(executionStats.totalKeysExamined, text).toBeLessThanOrEqual(bounds.scannedMax + 1);
      expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(bounds.scannedMax + 1);
    }
    expect(searchBounds).toEqual({ withWordMax: 5_000, scannedMax: 10_000 });
  });
});
