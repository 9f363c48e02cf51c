import { expect, onTestFinished, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { createGrpcClient } from "#shared/rpc/grpc-client.ts";
import { settingsClient } from "../../services/edge/registry-client/settings-client.ts";
import { csvDownload } from "../../services/edge/settings/certificates/csv.ts";
import { visitFixture } from "../../services/edge/settings/visit-fixture.ts";
import { inStore } from "../harness/in-store.ts";
import { issueMany, issueOne } from "../harness/issue-items.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";

const rig = await sharedPagesRig();
const { registry } = rig;

test("exports each certificate, also one issued meanwhile, and one that changes meanwhile again at the end", async () => {
  const count = 2_050;
  const storeId = await createPageStore(rig);
  const [first = ""] = await issueMany(registry, storeId, count);
  const { sessionToken } = await openBrowserSession(rig, storeId);
  const channel = createGrpcClient({ address: registry.address });
  onTestFinished(() => channel.close());
  const visit = { ...visitFixture(), registry: settingsClient(channel).inSession(sessionToken) };
  const { content = [] } = (await csvDownload.download?.(visit)) ?? {};
  const parts: string[] = [];
  for await (const part of content) {
    parts.push(part);
    // The third page is read once the second one is sent.
    if (parts.length !== 2) continue;
    await issueOne(registry, storeId, { product: { title: "Last" } });
    const refund = { certificateId: first, cause: RevocationCause.REFUND };
    await registry.lifecycle.revokeCertificate(refund, inStore(storeId));
  }
  const [header, ...pages] = parts.map((part) => part.trimEnd().split("\r\n"));
  expect(header).toEqual([expect.stringMatching(/^\uFEFFserial,status,/)]);
  expect(pages.map(({ length }) => length)).toEqual([1_000, 1_000, 52]);
  const records = pages.flat();
  const serials = records.map((record) => Number(record.split(",")[0]));
  expect(serials).toEqual([...Array.from({ length: count + 1 }, (_, index) => index + 1), 1]);
  expect(records[0]).toContain(",active,");
  expect(records.at(-2)).toContain(",Last,");
  expect(records.at(-1)).toContain(",revoked,");
});

test("exports everything that the search finds, even through the link on a later page of the list", async () => {
  const storeId = await createPageStore(rig);
  await issueMany(registry, storeId, 30);
  const merchant = await openBrowserSession(rig, storeId);
  const second = /href="[^"]*(\/certificates\?[^"]*after=\d+)/.exec(await (await merchant.get("/certificates")).text());
  const page = await (await merchant.get(second?.[1] ?? "")).text();
  const download = /href="[^"]*(\/certificates\.csv[^"]*)/.exec(page);
  const response = await merchant.get(download?.[1] ?? "");
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect((await response.text()).trimEnd().split("\r\n")).toHaveLength(31);
});
