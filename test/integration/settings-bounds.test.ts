import { expect, onTestFinished, test } from "vitest";
import { RuleSelector } from "#gen/registry/v1/storefront_service_pb.js";
import { exportText, headRow } from "#shared/orders/csv-fixture.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { dayMs } from "#shared/time/day.ts";
import { pagesAtOnceMax } from "../../services/edge/settings/engine/page-quota.ts";
import { openTestEdge, stoppedClock } from "../../services/edge/testing/start-edge.ts";
import { partBytesMax, partsMax, rejectedLinesMax } from "../../services/registry/imports/imports.ts";
import { importsPerDayMax } from "../../services/registry/mongo/imports/mongo-imports.ts";
import { rulesMax } from "../../services/registry/storefront/check-rules.ts";
import { eventually } from "../harness/eventually.ts";
import { uploadOrders } from "../harness/import-orders.ts";
import { inStore } from "../harness/in-store.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";
import { openSettingsSession } from "../harness/settings-session.ts";

const rig = await sharedPagesRig();
const { registry } = rig;
const { imports } = registry.settings;
const { collections } = registry.database;
const refusalOf = (call: Promise<unknown>) => call.then(() => undefined, toServiceError);

test(`a store has at most ${rulesMax} rules; with one more, none is stored`, async () => {
  const storeId = await createPageStore(rig);
  const rules = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `rule-${index}`, selector: RuleSelector.TAG, value: "art" }));
  const set = (count: number) => registry.storefront.setStorefrontRules({ rules: rules(count) }, inStore(storeId));
  await set(rulesMax);
  expect(await refusalOf(set(rulesMax + 1))).toMatchObject({
    code: "bad_request",
    field: "rules",
  });
  const stored = await collections.storefronts.findOne({ _id: storeId });
  expect(stored?.rules).toHaveLength(rulesMax);
});

test(`a store creates at most ${importsPerDayMax} imports in 24 hours; another store still creates one`, async () => {
  const [busy, other] = [await createPageStore(rig), await createPageStore(rig)];
  const headers = await openSettingsSession(registry, busy);
  const create = (session: Record<string, string>) =>
    imports.createImport({ fileName: "orders.csv" }, { headers: session });
  for (let count = 0; count < importsPerDayMax; count++) await create(headers);
  expect(await refusalOf(create(headers))).toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining(`${importsPerDayMax} imports`),
  });
  await create(await openSettingsSession(registry, other));
  expect(await collections.imports.countDocuments({ store: busy })).toBe(importsPerDayMax);
});

test("imports count for a day, except those from the future that the database's clock showed before it was set back", async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const create = () => imports.createImport({ fileName: "orders.csv" }, { headers });
  const { importId } = await create();
  const created = await collections.imports.findOne({ _id: importId });
  if (created === null) throw new Error("the import is not stored");
  const others = Array.from({ length: importsPerDayMax }, (_, index) => ({ ...created, _id: `${importId}${index}` }));
  await collections.imports.insertMany(others);
  expect(await refusalOf(create())).toMatchObject({ code: "rate_limited" });
  for (const agoMs of [2 * dayMs, -2 * dayMs]) {
    await collections.imports.updateMany({ store: storeId }, { $set: { createdAt: new Date(Date.now() - agoMs) } });
    expect((await create()).importId).not.toBe("");
  }
});

test(`a file has at most ${partsMax} parts of ${partBytesMax} bytes; what exceeds this is not stored`, async () => {
  const storeId = await createPageStore(rig);
  const headers = await openSettingsSession(registry, storeId);
  const { importId } = await imports.createImport({ fileName: "orders.csv" }, { headers });
  const add = (number: number, bytes: number) =>
    imports.addImportPart({ importId, number, content: new Uint8Array(bytes) }, { headers });
  expect(await refusalOf(add(partsMax, 1))).toMatchObject({ code: "bad_request", field: "number" });
  expect(await refusalOf(add(0, partBytesMax + 1))).toMatchObject({ code: "bad_request", field: "content" });
  await add(partsMax - 1, partBytesMax);
  expect(await collections.importParts.countDocuments({ import: importId })).toBe(1);
});

test(`an import stores at most ${rejectedLinesMax} rejected lines, and counts the others`, async () => {
  const storeId = await createPageStore(rig);
  const rows = Array.from({ length: rejectedLinesMax + 5 }, (_, index) =>
    headRow(`#${index}`, String(7_000_000 + index), { Email: "nobody" }),
  );
  const importId = await uploadOrders(rig, storeId, { text: exportText(rows) });
  const headers = await openSettingsSession(registry, storeId);
  const { import: examined } = await imports.getImport({ importId }, { headers });
  expect(examined?.rejectedLines).toBe(rejectedLinesMax + 5);
  const groups = await collections.rejectedLines.find({ import: importId }).toArray();
  expect(groups.flatMap(({ lines }) => lines)).toHaveLength(rejectedLinesMax);
});

test("the edge's log names the store of each request in a session, so that an operator finds a store that is refused", async () => {
  const edge = await openTestEdge({ registryAddress: registry.address }, { onEnd: onTestFinished });
  const shop = `${crypto.randomUUID()}.example.test`;
  const session = await openBrowserSession({ registry, edge }, await createPageStore(rig, { shop }));
  for (const path of ["/plan", "/none"]) await session.get(path);
  await session.withSession("unknown").get("/plan");
  // The edge has seen this session while it was valid.
  await registry.settings.session.closeSession({ sessionToken: session.sessionToken });
  await session.get("/plan");
  const lines = () => edge.log.filter(({ msg, method }) => msg === "request" && method === "GET");
  const has = (status: number, count: number) =>
    expect(lines().filter((line) => line.status === status).length).toBeGreaterThanOrEqual(count);
  await eventually(() => {
    has(200, 1);
    has(404, 1);
    has(401, 2);
  });
  for (const line of lines())
    expect([line.status, line.shop]).toEqual([line.status, line.status === 200 ? shop : undefined]);
});

test(`a store opens at most ${pagesAtOnceMax} pages at once, in all its sessions; it still sends forms, and others open pages`, async () => {
  const edge = await openTestEdge(
    { registryAddress: registry.address },
    { clock: stoppedClock, onEnd: onTestFinished },
  );
  const shop = `${crypto.randomUUID()}.example.test`;
  const [busy, other] = [await createPageStore(rig, { shop }), await createPageStore(rig)];
  const open = (storeId: string) => openBrowserSession({ registry, edge }, storeId, "de");
  const [first, second, ended, calm] = [await open(busy), await open(busy), await open(busy), await open(other)];
  // Each sign-in has opened a page.
  let openedCount = 3;
  // The page that takes the fewest calls, and no transfer.
  const openPages = async () => {
    while (openedCount < pagesAtOnceMax - 2) {
      openedCount += 1;
      expect((await first.head("/certificates/issue")).status).toBe(200);
    }
  };
  await Promise.all([openPages(), openPages(), openPages(), openPages()]);
  // A session that has ended opens no page.
  await registry.settings.session.closeSession({ sessionToken: ended.sessionToken });
  expect((await ended.get("/plan")).status).toBe(401);
  // A form whose entries are too long to be kept is shown in its response, which opens a page.
  const title = Buffer.from(crypto.getRandomValues(new Uint8Array(4_000))).toString("base64url");
  const form = { action: "issue", title, shop, token: "of another session", nonce: "nonce-1" };
  expect((await first.post("/certificates/issue", form)).status).toBe(422);
  expect((await second.get("/plan")).status).toBe(200);
  expect((await first.post("/certificates/issue", form)).status).toBe(429);
  for (const { get } of [first, second]) {
    const refused = await get("/certificates/print");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.text()).toContain("Zu viele Anfragen");
  }
  const unknownKey = { action: "roll", scope: "key_unknown", key: "key_unknown", grace: "7" };
  expect((await first.post("/keys", { token: first.formToken, ...unknownKey })).status).toBe(303);
  expect((await calm.get("/plan")).status).toBe(200);
});
