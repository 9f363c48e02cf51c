import { expect, test } from "vitest";
import { openTestEdge, stoppedClock } from "../../services/edge/testing/start-edge.ts";
import { createPageStore } from "../harness/pages-rig.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openSettingsSession } from "../harness/settings-session.ts";

const registry = await openTestRegistry();
// Its time stands still, so that no token is refilled and no answer expires.
const edge = await openTestEdge({ registryAddress: registry.address }, { clock: stoppedClock });

const verifyUrl = `http://127.0.0.1:${edge.port}/verify`;
const statusOf = async (path: string) => (await fetch(`${verifyUrl}/${path}`)).status;

test("a client that requests many unknown logos gets 429, even for unknown links, but can still load known logos", async () => {
  const headers = await openSettingsSession(registry, await createPageStore({ registry }));
  const content = Buffer.from("RIFF\0\0\0\0WEBPVP8 ");
  const { store } = await registry.settings.stores.setLogo({ content, width: 60, height: 20 }, { headers });
  const known = `logos/${store?.logo?.id}`;
  expect(await statusOf(known)).toBe(200);
  const unknown = (index: number) => `logos/lgo_${String(index).padStart(24, "0")}`;
  const statuses: number[] = [];
  for (let index = 0; index < 80; index++) statuses.push(await statusOf(unknown(index)));
  expect(statuses).toEqual([...Array(60).fill(404), ...Array(20).fill(429)]);
  const refused = await fetch(`${verifyUrl}/${"0".repeat(26)}`);
  expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, 1]);
  expect(await statusOf(known)).toBe(200);
  // The edge remembers for half a minute that this id is unknown, so the request costs neither a call nor a token.
  expect(await statusOf(unknown(0))).toBe(404);
});
