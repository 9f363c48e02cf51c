import { expect, test } from "vitest";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { createPageStore, sharedPagesRig } from "../harness/pages-rig.ts";
import { openBrowserSession } from "../harness/settings-browser.ts";

const rig = await sharedPagesRig();

test.each(["sheets", "print"])(
  "%s: a selection of more than 100 certificates continues on the next page",
  async (page) => {
    const storeId = await createPageStore(rig);
    const ids: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const items = Array.from({ length: 60 }, () => issueItem());
      const { results } = await rig.registry.issuing.issueCertificates({ items }, inStore(storeId));
      ids.push(...results.map(({ certificateId }) => certificateId));
    }
    const merchant = await openBrowserSession(rig, storeId);
    const serialsOn = async (path: string) => {
      const text = await (await merchant.get(path)).text();
      const next = /href="[^"]*\/certificates\/(?:sheets|print)\?([^"]*certificate=[^"]*)"/.exec(text)?.[1];
      return { serials: new Set(text.match(/\b0001?\d\d\b|\b000\d\d\d\b/g)), next: next?.replaceAll("&amp;", "&") };
    };
    const query = new URLSearchParams(ids.map((id): [string, string] => ["certificate", id]));
    const first = await serialsOn(`/certificates/${page}?${query}`);
    expect(first.serials.size).toBe(100);
    const second = await serialsOn(`/certificates/${page}?${first.next}`);
    expect([second.serials.size, second.next]).toEqual([20, undefined]);
    expect(first.serials.union(second.serials).size).toBe(120);
  },
);
