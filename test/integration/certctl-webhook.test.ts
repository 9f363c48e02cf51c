import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signatureOf } from "#shared/webhook/signature.ts";
import { textOf } from "../guard/repository.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { inStore } from "../harness/in-store.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { runCertctl, runCertctlFor } from "../harness/run-certctl.ts";
import { signedWith } from "../harness/signed-with.ts";
import { createStoreWithWebhook, testWebhookUrl } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const { stores } = registry.database.collections;
const url = testWebhookUrl;

/** Creates a store with a webhook, by default with a signing secret. @returns functions that run certctl for it */
async function openStore(createSecret = true) {
  const { storeId } = await createStoreWithWebhook(registry, { createSecret });
  const certctl = (...args: string[]) => runCertctlFor(registry, storeId, ...args);
  return { storeId, certctl, webhook: (...args: string[]) => certctl("webhook", ...args) };
}

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
const line = (role: string, header: string) =>
  expect.stringMatching(new RegExp(`^${role} secret, created ${time}: ${header}$`));
const active = line("active", "X-Service-Signature");
const linesOf = ({ out }: { readonly out: string }) => out.trimEnd().split("\n");

// Each command starts a process, which is slow on a busy machine.
describe("certctl webhook", { timeout: 180_000 }, () => {
  test("rotate begin, switch and finish replace the secret; show prints the roles of the current secrets", async () => {
    const { storeId, webhook } = await openStore();
    const begun = await webhook("rotate", "begin");
    expect(begun).toMatchObject({ code: 0, error: expect.stringContaining("shown only once") });
    const fresh = begun.out.trim();
    expect(fresh).toMatch(/^crs_/);
    const withNext = [`${url}  v2`, active, line("next", "X-Service-Signature-Next")];
    expect(linesOf(await webhook("show"))).toEqual(withNext);
    const switched = await webhook("rotate", "switch", "--yes");
    const withPrevious = [`${url}  v2`, active, line("previous", "X-Service-Signature-Previous")];
    expect(linesOf(switched)).toEqual(withPrevious);
    expect(linesOf(await webhook("rotate", "finish", "--yes"))).toEqual([`${url}  v2`, active]);
    expect(await signedWith(registry, storeId)).toEqual([fresh]);
  });

  test("show reports a missing secret and a missing webhook", async () => {
    const { storeId, webhook } = await openStore(false);
    expect(linesOf(await webhook("show"))).toEqual([`${url}  v2`, "messages are not signed"]);
    await registry.admin.setWebhook({ url: "" }, inStore(storeId));
    expect(linesOf(await webhook("show"))).toEqual(["no webhook is set"]);
  });

  test("rotate switch, rotate finish and rotate cancel change nothing without --yes", async () => {
    const { storeId, webhook } = await openStore();
    await webhook("rotate", "begin");
    const before = await stores.findOne({ _id: storeId });
    for (const step of ["switch", "finish", "cancel"])
      expect(await webhook("rotate", step)).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^would .* --yes/),
      });
    expect(await stores.findOne({ _id: storeId })).toEqual(before);
    expect(linesOf(await webhook("rotate", "cancel", "--yes"))).toEqual([`${url}  v2`, active]);
  });

  test("rotate refuses an out-of-order step with one sentence and exit code 1", async () => {
    const { webhook } = await openStore();
    expect(await webhook("rotate", "switch", "--yes")).toEqual({
      code: 1,
      out: "",
      error: expect.stringMatching(
        /^target: .*\ncertctl: No secret is being replaced\. Begin the replacement first\.\n$/,
      ),
    });
  });

  test("set refuses an empty URL and names the command that removes the webhook", async () => {
    const { storeId, webhook } = await openStore();
    const before = await stores.findOne({ _id: storeId });
    expect(await webhook("set", "")).toEqual({
      code: 2,
      out: "",
      error: "certctl: The URL is empty. To remove the webhook, run 'certctl webhook remove --yes'.\n",
    });
    expect(await stores.findOne({ _id: storeId })).toEqual(before);
  });

  test("set prints the format and, if messages are not signed, the command that creates a signing secret", async () => {
    const { webhook } = await openStore(false);
    expect(await webhook("set", url, "--format", "v1")).toMatchObject({
      code: 0,
      out: "the webhook is set with format v1\nmessages are not signed; to sign them, run 'certctl webhook set <url> --create-secret'\n",
    });
    expect(await webhook("set", url, "--format", "v2", "--create-secret")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^crs_[0-9a-z]+\n$/),
      error: expect.stringMatching(
        /^target: .*\nthe webhook is set with format v2; its signing secret is shown only once:\n$/,
      ),
    });
    expect((await webhook("set", url, "--format", "v1")).out).toBe("the webhook is set with format v1\n");
  });

  test("set without --format keeps the current format", async () => {
    const { webhook } = await openStore();
    await webhook("set", url, "--format", "v1");
    expect((await webhook("set", `${url}2`)).out).toBe("the webhook is set with format v1\n");
    expect(linesOf(await webhook("show"))).toEqual([`${url}2  v1`, active]);
  });

  test("set, as the receivers' guide calls it for the demo store, prints a secret although the store has one", async () => {
    const { storeId, webhook } = await openStore();
    const guide = textOf("deploy/receivers/README.md");
    const [, args = ""] = /certctl -- --store \S+ webhook (set [^`]+)`/.exec(guide) ?? [];
    const { code, out } = await webhook(...args.split(" "));
    expect([code, out]).toEqual([0, expect.stringMatching(/^crs_[0-9a-z]+\n$/)]);
    expect(await signedWith(registry, storeId)).toEqual([out.trim()]);
  });

  test("set --create-secret warns only when it replaces a secret", async () => {
    const { webhook } = await openStore(false);
    expect((await webhook("set", url, "--create-secret")).error).not.toContain("refuse");
    expect((await webhook("set", url, "--create-secret", "--yes")).error).toContain(
      "receivers refuse messages until they have the new secret",
    );
  });
});

test("the help of webhook test and of event redeliver states when the exit code is 1", async () => {
  for (const command of [
    ["webhook", "test"],
    ["event", "redeliver"],
  ]) {
    const { out } = await runCertctl(...command, "--help");
    expect(out.replace(/\s+/g, " ")).toContain("exit code 1 unless");
  }
}, 180_000);

test("certctl secrets reseal prints the result; if a secret is unreadable, it exits with code 1 and names the store", async () => {
  const { storeId, certctl } = await openStore();
  const done = "all secrets are sealed with the newest key; you can remove the older keys\n";
  expect(await certctl("secrets", "reseal")).toEqual({
    code: 0,
    out: `stores with resealed secrets: 0\n${done}`,
    error: `target: registry ${registry.address}\n`,
  });
  await stores.updateOne({ _id: storeId }, { $set: { "webhook.secrets.active.text": "whsec_planted" } });
  expect(await certctl("secrets", "reseal")).toMatchObject({
    code: 1,
    error: expect.stringContaining(storeId),
  });
}, 180_000);

describe("certctl webhook verify", { timeout: 180_000 }, () => {
  test("needs no registry; prints `valid` with exit code 0, or `not valid` and the reason with exit code 1", async ({
    onTestFinished,
  }) => {
    const folder = await openTemporaryFolder("verify", onTestFinished);
    const [secretFile, bodyFile] = [join(folder, "secret"), join(folder, "body")];
    await writeFile(secretFile, "whsec_a\n");
    await writeFile(bodyFile, '{"a":"é"}');
    const signature = signatureOf(Buffer.from("whsec_a"), Buffer.from('{"a":"é"}'));
    const verify = (given: string) =>
      runCertctl(
        ...["--registry", "127.0.0.1:1", "webhook", "verify", "--secret-file", secretFile],
        ...["--body-file", bodyFile, "--signature", given],
      );
    expect(await verify(signature)).toEqual({ code: 0, out: "valid\n", error: "" });
    expect(await verify(signature.toUpperCase())).toEqual({
      code: 1,
      out: "not valid\n",
      error: expect.stringContaining("lower case"),
    });
    await rm(bodyFile);
    expect(await verify(signature)).toMatchObject({
      code: 2,
      error: `certctl: The file ${bodyFile} does not exist.\n`,
    });
  });
});
