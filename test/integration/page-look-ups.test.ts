import { expect, test } from "vitest";
import { createPageStore, openPagesRig } from "../harness/pages-rig.ts";
import { openSettingsSession } from "../harness/settings-session.ts";

const rig = await openPagesRig();
const { registry, verifyUrl } = rig;

const statusOf = async (path: string) => (await fetch(`${verifyUrl}/${path}`)).status;

test("a client that requests many unknown logos gets 429, even for unknown links, but can still load known logos", async () => {
  const headers = await openSettingsSession(registry, await createPageStore(rig));
  const content = Buffer.from("RIFF\0\0\0\0WEBPVP8 ");
  const { store } = await registry.settings.stores.setLogo({ content, width: 60, height: 20 }, { headers });
  const known = `logos/${store?.logo?.id}`;
  expect(await statusOf(known)).toBe(200);
  const unknown = (index: number) => `logos/lgo_${String(index).padStart(24, "0")}`;
  const statuses: number[] = [];
  for (let index = 0; index < 120; index++) statuses.push(await statusOf(unknown(index)));
  // The bucket of 60 tokens is refilled during the requests, so more than 60 can get 404.
  expect(statuses.slice(0, 60)).toEqual(Array(60).fill(404));
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(20);
  const refused = await fetch(`${verifyUrl}/${"0".repeat(26)}`);
  expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, 1]);
  expect(await statusOf(known)).toBe(200);
  // The edge remembers for half a minute that this id is unknown, so the request costs neither a call nor a token.
  expect(await statusOf(unknown(0))).toBe(404);
});
