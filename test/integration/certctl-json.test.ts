import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadCommands } from "../../services/cli/commands.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { caseEntries } from "../harness/lifecycle-cases.ts";
import { listOne } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor, runCertctlWith } from "../harness/run-certctl.ts";
import { startTestNats } from "../harness/test-nats.ts";
import { createTestStore, testWebhookUrl } from "../harness/test-stores.ts";

// Without NATS, an erasure is tried again for 20 seconds.
const nats = await startTestNats();
const registry = await openTestRegistry({ natsUrl: nats.url });
const folder = await openTemporaryFolder("certctl-json", afterAll);
const file = async (name: string, text: string) => {
  const location = path.join(folder, name);
  await writeFile(location, text);
  return location;
};
const orders = "deploy/local/demo/orders_export.csv";
const catalogue = await file("catalogue.json", '[{"id":"1","title":"Poster","variants":[]}]');
const recorded = await file("recorded.jsonl", "");
const secret = await file("secret", "crs_a");

/** One run of each command, in an order in which most succeed; `KEY` and `TRIGGER` stand for ids. */
const calls: Readonly<Record<string, readonly string[]>> = {
  "store create": ["json.example"],
  "store list": [],
  "settings link": ["--for", "Ada"],
  "settings set": ["--language", "de"],
  "settings show": [],
  "settings sign-out": [],
  "plan set": ["pro"],
  "catalogue put": [catalogue],
  "sample create": [],
  "import orders": [orders, "--dry-run"],
  "certificate issue": ["--title", "Poster", "--name", "Ada", "--email", "ada@example.test"],
  "certificate find": ["ada@example.test"],
  "certificate list": [],
  "certificate show": ["1"],
  ...Object.fromEntries(
    caseEntries.flatMap(([name, { certctl }]) => (certctl === undefined ? [] : [[`certificate ${name}`, certctl]])),
  ),
  "certificate new-link": ["1", "--yes"],
  "certificate history": ["1"],
  "report list": [],
  "report close": ["rep_none"],
  "person erase": ["ada@example.test"],
  "key create": [],
  "key list": [],
  "key roll": ["KEY", "--grace", "1h"],
  "key revoke": ["KEY"],
  "webhook set": [testWebhookUrl, "--create-secret"],
  "webhook show": [],
  "webhook rotate begin": [],
  "webhook rotate switch": [],
  "webhook rotate finish": [],
  "webhook rotate cancel": [],
  "webhook remove": [],
  "webhook verify": ["--secret-file", secret, "--body-file", secret, "--signature", "sha256=0"],
  "webhook test": ["--idempotency-key", "not a key"],
  "webhook token": [],
  // Without a listen token in the environment, both are refused.
  "webhook listen": ["--url", "http://127.0.0.1:1"],
  "webhook trigger": ["issued", "--url", "http://127.0.0.1:1"],
  "trigger create": [testWebhookUrl, "--event", "issued", "--format", "profile"],
  "trigger list": [],
  "trigger test": ["TRIGGER"],
  "trigger rotate": ["TRIGGER"],
  "trigger disable": ["TRIGGER"],
  "trigger enable": ["TRIGGER"],
  "trigger log": [],
  "trigger delete": ["TRIGGER"],
  "event list": [],
  "event redeliver": ["evt_none"],
  "quarantine list": [],
  "store history": [],
  "storefront show": [],
  "storefront rules set": ["posters", "--sku", "P-*"],
  "storefront rules list": [],
  "storefront rules remove": ["posters"],
  "storefront problems": [],
  "storefront retry": [],
  "storefront requests": [],
  "storefront replay": [recorded, "--url", "http://127.0.0.1:1", "--secret-file", secret],
  "secrets reseal": [],
  "context list": [],
  completion: ["bash"],
  options: [],
  doctor: [],
  "context set": ["json"],
  "context use": ["json"],
  "context remove": ["json"],
  "operator create": ["ada", "--right", "inspect", "--for", "*"],
  "tls issue": ["--folder", path.join(folder, "tls")],
};

/** Parses each non-empty line. @throws SyntaxError for a line that is not JSON */
function documentsOf(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

test("with --json, every command prints only JSON documents and prints its result on standard output", async () => {
  const names = (await loadCommands()).map(({ groups, build }) => [...groups, build().name()].join(" "));
  expect(Object.keys(calls).toSorted()).toEqual(names.toSorted());
  const storeId = await createTestStore(registry);
  const { keyId } = await registry.admin.createApiKey({ label: "json" }, inStore(storeId));
  const { trigger } = await registry.triggers.createTrigger({ url: testWebhookUrl }, inStore(storeId));
  const ids: Readonly<Record<string, string>> = { KEY: keyId, TRIGGER: trigger?.triggerId ?? "" };
  const results: Record<string, unknown[]> = {};
  for (const [name, args] of Object.entries(calls)) {
    const given = args.map((arg) => ids[arg] ?? arg);
    const global = ["--json", "--registry", registry.address, "--store", storeId];
    const { code, out, error } = await runCertctlWith(
      { CERTCTL_CONFIG: path.join(folder, "config.json") },
      ...name.split(" "),
      ...given,
      ...global,
    );
    results[name] = documentsOf(out);
    const last = documentsOf(error).at(-1) ?? {};
    // An invalid signature and unusable rows are results, not errors.
    if (code !== 0 && name !== "webhook verify" && name !== "import orders")
      expect([name, last]).toEqual([name, expect.objectContaining({ exitCode: code })]);
  }
  expect(results["certificate new-link"]).toEqual([await listOne(registry, storeId)]);
  expect(results["certificate list"]).toHaveLength(1);
  expect(results["certificate revoke"]).toEqual([expect.objectContaining({ preview: true })]);
  expect(results["key list"]).toEqual(expect.arrayContaining([expect.objectContaining({ keyId, label: "json" })]));
  expect(results["settings show"]).toEqual([expect.objectContaining({ id: storeId, language: "de", webhook: null })]);
  expect(results["import orders"]).toEqual([expect.objectContaining({ dryRun: true, unusable: expect.any(Number) })]);
  expect(results["person erase"]).toEqual([expect.objectContaining({ preview: true })]);
  expect(results["trigger list"]).toHaveLength(2);
  expect(results["trigger create"]).toEqual([
    { trigger: expect.objectContaining({ events: ["issued"], format: "profile" }), secret: expect.any(String) },
  ]);
  expect(results["trigger log"]).toContainEqual(expect.objectContaining({ state: "waiting", attempts: 0 }));
  expect(results["webhook verify"]).toEqual([{ isValid: false, problems: expect.any(Array) }]);
}, 300_000);

test.each([
  [["certificate", "show", "crt_none"], 3, "not_found"],
  [["certificate", "shw"], 2, "usage"],
  [["certificate"], 2, "usage"],
  [["store", "list", "--registry", "127.0.0.1:1"], 5, "unavailable"],
])("%j fails with --json with exit code %i and the error %s", async (args, exitCode, error) => {
  const storeId = await createTestStore(registry);
  await issueOne(registry, storeId);
  const run = await runCertctlFor(registry, storeId, "--json", ...args);
  expect({ ...run, error: documentsOf(run.error) }).toEqual({
    code: exitCode,
    out: "",
    error: [{ error, message: expect.any(String), exitCode }],
  });
});

test("an error that the registry refuses with a reason has the reason's code and parameters, and the field at fault", async () => {
  const storeId = await createTestStore(registry);
  await issueOne(registry, storeId);
  const run = async (...args: string[]) =>
    documentsOf((await runCertctlFor(registry, storeId, "--json", ...args)).error).at(-1);
  expect(await run("certificate", "reactivate", "1", "--yes")).toMatchObject({
    error: "failed_precondition",
    message: "The certificate is already active.",
    reason: { code: "certificate_already_active", params: {} },
  });
  expect(await run("webhook", "set", "http://receiver.example.test")).toMatchObject({
    error: "bad_request",
    field: "url",
    reason: { code: expect.stringMatching(/^\w+$/) },
  });
});

test("webhook set without --yes only previews the replacement of a signing secret", async () => {
  const storeId = await createTestStore(registry);
  const set = (...args: string[]) => runCertctlFor(registry, storeId, "webhook", "set", testWebhookUrl, ...args);
  await set("--create-secret");
  const before = await registry.database.collections.stores.findOne({ _id: storeId });
  expect((await set("--create-secret")).out).toMatch(
    /^would .* replace its signing secret.*rerun with --yes to apply\n$/,
  );
  expect(await registry.database.collections.stores.findOne({ _id: storeId })).toEqual(before);
});
