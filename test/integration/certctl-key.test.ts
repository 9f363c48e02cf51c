import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { beforeEach, expect, test } from "vitest";
import { Admission } from "#gen/registry/v1/edge_service_pb.js";
import { hashApiKey } from "#shared/keys/api-key.ts";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { type CertctlRun, certctlProgram, runCertctlFor } from "../harness/run-certctl.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();

let storeId: string;
beforeEach(async () => {
  storeId = await createTestStore(registry);
});

const certctl = (...args: string[]): Promise<CertctlRun> => runCertctlFor(registry, storeId, "key", ...args);
const isAdmitted = async (apiKey: string) =>
  (await registry.edge.admit({ keySha256: hashApiKey(apiKey.trim()) })).admission === Admission.ADMITTED;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/.source;

test("key list prints a key's first eight characters; key roll and key revoke change nothing without --yes", async () => {
  const { keyId, apiKey } = await registry.admin.createApiKey({ label: "Cache" }, inStore(storeId));
  const shown = `${keyId}  ${apiKey.slice(0, 8)}…  TIME  never used  valid  Cache`;
  const line = (text: string) => text.replace(new RegExp(time), "TIME");
  await expectNothingChanged(registry.database, async () => {
    const ran = [["list"], ["roll", keyId, "--grace", "24h"], ["revoke", keyId]].map((args) => certctl(...args));
    expect((await Promise.all(ran)).map(({ code, out }) => [code, line(out)])).toEqual([
      [0, `${shown}\n`],
      [0, `would replace ${shown}; the old key would stop working after 86400 s; rerun with --yes to apply\n`],
      [0, `would revoke ${shown}; rerun with --yes to apply\n`],
    ]);
  });
});

test("key roll --yes prints the new key on standard output, and on standard error the time until which the old key works", async () => {
  const { keyId, apiKey } = await registry.admin.createApiKey({ label: "Cache" }, inStore(storeId));
  const { code, out, error } = await certctl("roll", keyId, "--grace", "1h", "--yes");
  expect(code).toBe(0);
  expect(error).toMatch(
    new RegExp(`^target: .*\n${keyId} works until ${time}\nkey id key_\\w+; the key is shown only once:\n$`),
  );
  expect(await Promise.all([out, apiKey].map(isAdmitted))).toEqual([true, true]);
  expect((await certctl("list")).out).toMatch(new RegExp(`^${keyId}  .*  valid until ${time}  Cache\n`));
});

test("key revoke --yes revokes a key; key revoke and key roll refuse an unknown key with one sentence", async () => {
  const { keyId, apiKey } = await registry.admin.createApiKey({ label: "Cache" }, inStore(storeId));
  expect((await certctl("revoke", keyId, "--yes")).out).toBe(`${keyId} is revoked\n`);
  expect(await isAdmitted(apiKey)).toBe(false);
  const refused = {
    code: 3,
    out: "",
    error: expect.stringMatching(/^target: .*\ncertctl: The store has no valid API key with this id\. .*\n$/),
  };
  for (const args of [
    ["revoke", keyId],
    ["roll", keyId, "--grace", "0", "--yes"],
  ])
    expect(await certctl(...args)).toEqual(refused);
});

test("key create prints the key even if standard error is a closed pipe", async () => {
  const global = ["--registry", registry.address, "--plaintext", "--store", storeId];
  const args = [certctlProgram, ...global, "key", "create"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  child.stderr.destroy();
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect(code).toBe(0);
  expect(await isAdmitted(out)).toBe(true);
});
