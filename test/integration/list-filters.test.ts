import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { type PageQuery, StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { type ListFilter, listCertificates } from "../../services/registry/certificates/list-certificates.ts";
import { MongoFeed } from "../../services/registry/mongo/certificates/mongo-feed.ts";
import { snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { type ListConditions, listAll, parsePage } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { issueTitled, type TitledItems, titlesOf } from "./titled-certificates.ts";

const registry = await openTestRegistry();
const { collections } = registry.database;

const storeWith = (items: TitledItems) => issueTitled(registry, items);

const titles = async (storeId: string, conditions: ListConditions) =>
  titlesOf(await listAll(registry, storeId, conditions));

describe("the email filter", async () => {
  const buyers = {
    plain: "Ada@Example.TEST",
    plus: "ada+x@example.test",
    umlaut: "JÄGER@example.test",
    decomposed: "JA\u0308GER2@example.test",
    dotted: "İnci@example.test",
    sharp: "GROßE@example.test",
    caron: "J\u030Cay@example.test",
  };
  const storeId = await storeWith(
    Object.fromEntries(Object.entries(buyers).map(([title, email]) => [title, { buyer: { email } }])),
  );

  test.each<[string, readonly string[]]>([
    ["ada@example.test", ["plain"]],
    ["ADA@EXAMPLE.TEST", ["plain"]],
    ["ada+X@example.test", ["plus"]],
    ["jäger@example.test", ["umlaut"]],
    ["Ja\u0308ger@EXAMPLE.test", ["umlaut"]],
    ["jäger2@example.test", ["decomposed"]],
    ["JÄGER2@example.test", ["decomposed"]],
    // Locale-independent lower-casing maps İ to i with a combining dot, never to a plain i.
    ["İNCI@example.test", ["dotted"]],
    ["i\u0307nci@example.test", ["dotted"]],
    ["inci@example.test", []],
    ["große@example.test", ["sharp"]],
    ["GROẞE@example.test", ["sharp"]],
    ["grosse@example.test", []],
    // The lower-case letter has a composed form; the upper-case letter does not.
    ["\u01F0ay@example.test", ["caron"]],
    ["ada", []],
    ["example.test", []],
    ["", []],
  ])("%s finds %j", async (email, found) => {
    expect(await titles(storeId, { email })).toEqual(found);
  });
});

describe("the order filter", async () => {
  const storeId = await storeWith({
    first: { order: { id: "450789469", name: "#1001", unit: 1 } },
    second: { order: { id: "450789469", name: "#1001", unit: 2 } },
    other: { order: { id: "1001", name: "#1001-B" } },
    zero: { order: { id: "01001", name: "#ab" } },
    hand: {},
  });

  test.each<[PageQuery["order"], readonly string[]]>([
    [{ case: "orderName", value: "#1001" }, ["first", "second"]],
    [{ case: "orderName", value: "#1001-B" }, ["other"]],
    [{ case: "orderName", value: "#1001-b" }, []],
    [{ case: "orderName", value: "#AB" }, []],
    [{ case: "orderName", value: "1001" }, []],
    [{ case: "orderName", value: "#100" }, []],
    [{ case: "orderId", value: "450789469" }, ["first", "second"]],
    [{ case: "orderId", value: "1001" }, ["other"]],
    [{ case: "orderId", value: "01001" }, ["zero"]],
    [{ case: "orderId", value: "#1001" }, []],
    [{ case: undefined }, ["first", "second", "other", "zero", "hand"]],
  ])("%o finds %j", async (order, found) => {
    expect(await titles(storeId, { order })).toEqual(found);
  });
});

describe("the serial filter", async () => {
  const storeId = await storeWith({ one: {}, two: {} });

  test.each<[string, readonly string[]]>([
    ["000001", ["one"]],
    ["1", ["one"]],
    [`${"0".repeat(300)}2`, ["two"]],
    ["3", []],
    ["0", []],
    ["000000", []],
    ["9".repeat(40), []],
    ["9007199254740993", []],
    ["", []],
    ["-1", []],
    ["1.0", []],
    ["1e0", []],
    ["0x1", []],
    [" 1", []],
  ])("%s finds %j", async (serial, found) => {
    expect(await titles(storeId, { serial })).toEqual(found);
  });
});

describe("the status filter", async () => {
  const now = new Date("2020-05-01T12:00:00.000Z");
  const storeId = await storeWith({ forever: {}, before: {}, at: {}, after: {}, revoked: {}, "revoked before": {} });
  // Set directly, because a certificate cannot be issued with an expiry in the past.
  for (const [title, ms] of Object.entries({ before: -1, at: 0, after: 1, "revoked before": -1 })) {
    const expiresAt = new Date(now.getTime() + ms);
    await collections.certificates.updateOne({ store: storeId, "product.title": title }, { $set: { expiresAt } });
  }
  const revokedTitles = { $in: ["revoked", "revoked before"] };
  const revoked = { status: "revoked", revokedAt: now, revokedReason: "Refund" } as const;
  await collections.certificates.updateMany({ store: storeId, "product.title": revokedTitles }, { $set: revoked });

  const shown = [
    ["forever", "active"],
    ["before", "expired"],
    ["at", "expired"],
    ["after", "active"],
    ["revoked", "revoked"],
    ["revoked before", "revoked"],
  ];

  test.each<[ListFilter]>([[{}], [{ status: "active" }], [{ status: "expired" }], [{ status: "revoked" }]])(
    "with filter %o, treats certificates as expired from the millisecond of expiresAt",
    async (filter) => {
      const deps = {
        feed: new MongoFeed(collections, snapshotReader(registry.database.client), () => now),
        serviceVerifyUrl: "https://x.test",
      };
      const { json } = await listCertificates(deps, storeId, { filter, limit: 100 });
      const found = parsePage(json);
      expect(found.map(({ product, status }) => [product.title, status])).toEqual(
        shown.filter(([, status]) => filter.status === undefined || filter.status === status),
      );
    },
  );

  test.each<[StatusFilter, readonly string[]]>([
    [StatusFilter.UNSPECIFIED, shown.map(([title = ""]) => title)],
    [StatusFilter.ACTIVE, ["forever"]],
    [StatusFilter.EXPIRED, ["before", "at", "after"]],
    [StatusFilter.REVOKED, ["revoked", "revoked before"]],
  ])("over gRPC, applies status filter %i as of the current time", async (status, found) => {
    expect(await titles(storeId, { status })).toEqual(found);
  });
});

describe("the updated_since filter", async () => {
  const storeId = await storeWith({ a: {}, b: {}, c: {} });
  const times = (await listAll(registry, storeId)).map(({ updatedAt }) => new Date(updatedAt));

  const plusNanos = (date: Date | undefined, nanos: number) => {
    const timestamp = timestampFromDate(date ?? new Date(0));
    timestamp.nanos += nanos;
    return timestamp;
  };

  test("excludes changes at exactly the given millisecond", async () => {
    // The three times are consecutive milliseconds, as the last line verifies, so each boundary is exact.
    expect(await titles(storeId, { updatedSince: plusNanos(times[0], 0) })).toEqual(["b", "c"]);
    expect(await titles(storeId, { updatedSince: plusNanos(times[1], 0) })).toEqual(["c"]);
    expect(await titles(storeId, { updatedSince: plusNanos(times[2], 0) })).toEqual([]);
    expect(times.map((time) => time.getTime() - (times[0]?.getTime() ?? 0))).toEqual([0, 1, 2]);
  });

  test("rounds down to the millisecond, so that no change is missed", async () => {
    for (const nanos of [1, 499_999, 500_000, 999_999])
      expect(await titles(storeId, { updatedSince: plusNanos(times[0], nanos) })).toEqual(["b", "c"]);
  });
});

test("combines all filters", async () => {
  const storeId = await storeWith({
    a: { buyer: { email: "x@example.test" }, order: { id: "1" } },
    b: { buyer: { email: "x@example.test" }, order: { id: "2" } },
    c: { buyer: { email: "y@example.test" }, order: { id: "2", unit: 2 } },
  });
  const order = { case: "orderId", value: "2" } as const;
  expect(await titles(storeId, { order, email: "X@example.test" })).toEqual(["b"]);
  expect(await titles(storeId, { order, email: "X@example.test", serial: "1" })).toEqual([]);
  expect(await titles(storeId, { order, serial: "3", status: StatusFilter.ACTIVE })).toEqual(["c"]);
});
