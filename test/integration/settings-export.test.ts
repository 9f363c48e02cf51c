import { expect, test } from "vitest";
import { issueMany, issueOne } from "../harness/issue-items.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";

const rig = await sharedPagesRig();
const { registry } = rig;

test("exports each of more than 5,000 certificates once, including one issued during the export", async () => {
  const count = 5_050;
  const storeId = await createPageStore(rig);
  await issueMany(registry, storeId, count);
  const merchant = await openBrowserSession(rig, storeId);
  const response = await merchant.get("/certificates.csv");
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  // The edge reads the rest of the list while the response is being received.
  const last = await issueOne(registry, storeId, { product: { title: "Last" } });
  const [head, ...records] = (await response.text()).trimEnd().split("\r\n");
  expect(head).toMatch(/^serial,status,/);
  const serials = records.map((record) => Number(record.split(",")[0]));
  expect(serials).toEqual(Array.from({ length: count + 1 }, (_, index) => index + 1));
  expect(records.at(-1)).toContain(last);
});

test("exports everything that the search finds, even through the link on a later page of the list", async () => {
  const storeId = await createPageStore(rig);
  await issueMany(registry, storeId, 30);
  const merchant = await openBrowserSession(rig, storeId);
  const second = /href="[^"]*(\/certificates\?[^"]*after=\d+)/.exec(await (await merchant.get("/certificates")).text());
  const page = await (await merchant.get(second?.[1] ?? "")).text();
  const download = /href="[^"]*(\/certificates\.csv[^"]*)/.exec(page);
  const response = await merchant.get(download?.[1] ?? "");
  expect((await response.text()).trimEnd().split("\r\n")).toHaveLength(31);
});
