import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { issueGrpcCertificates } from "../../deploy/local/stack/grpc-certificates.ts";
import { certctlVariables } from "../harness/certctl-variables.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctlWith } from "../harness/run-certctl.ts";
import { createTestStore } from "../harness/test-stores.ts";

const folder = await openTemporaryFolder("certctl-context", afterAll);
const files = await issueGrpcCertificates(folder);
const { cert, key, ca } = files.operator;
const registry = await openTestRegistry({ grpc: files });
const [one, another] = [await createTestStore(registry), await createTestStore(registry)];
const variables = {
  ...certctlVariables(undefined),
  CERTCTL_PLAINTEXT: "",
  CERTCTL_CONFIG: path.join(folder, "config/config.json"),
};
const certctl = (...args: string[]) => runCertctlWith(variables, ...args);
const shown = async (...args: string[]) => JSON.parse((await certctl("--json", "settings", "show", ...args)).out).id;

test("a context sets the registry, the TLS files and the store; options take precedence, and with --registry the context's store is ignored", async () => {
  const settings = ["--registry", registry.address, "--cert-file", cert, "--key-file", key, "--ca-file", ca];
  expect(await certctl("context", "set", "test", ...settings, "--store", one)).toMatchObject({ code: 0, error: "" });
  expect((await certctl("context", "set", "other", "--registry", "127.0.0.1:1", "--plaintext")).code).toBe(0);
  expect(await shown()).toBe(one);
  expect(await shown("--store", another)).toBe(another);
  expect((await certctl("plan", "set", "pro")).error).toMatch(/registry .* \(context test\)\n$/);
  expect(await certctl("settings", "show", "--context", "other")).toMatchObject({
    code: 5,
    error: expect.stringContaining("(registry: 127.0.0.1:1 (context other))"),
  });
  const named = await certctl("settings", "show", "--registry", registry.address);
  expect(named).toMatchObject({ code: 2, error: expect.stringContaining("several stores") });
  expect((await certctl("settings", "show", "--plaintext")).code).toBe(5);

  expect((await certctl("context", "use", "other")).code).toBe(0);
  expect((await certctl("context", "list")).out).toMatch(
    /^- {2}test .*\n\* {2}other {2}127\.0\.0\.1:1 {2}- {2}plaintext\n$/,
  );
  expect((await certctl("context", "remove", "other")).out).toMatch(/^would remove .*--yes to apply\n$/);
  expect((await certctl("context", "remove", "other", "--yes")).code).toBe(0);
  expect((await certctl("settings", "show", "--context", "other")).code).toBe(2);
  expect((await certctl("context", "list")).out).toMatch(/^- {2}test .*\n$/);
}, 120_000);

test("TLS files replace the plaintext of a context, and TLS files of the command line that of a variable", async () => {
  const config = { CERTCTL_CONFIG: path.join(folder, "config/moved.json") };
  const run = (more: Readonly<Record<string, string>>, ...args: string[]) =>
    runCertctlWith({ ...variables, ...config, ...more }, ...args);
  const security = ["--cert-file", cert, "--key-file", key, "--ca-file", ca];
  const plain = ["--registry", registry.address, "--store", one, "--plaintext"];
  expect((await run({}, "context", "set", "moved", ...plain)).code).toBe(0);
  expect((await run({}, "settings", "show")).code).toBe(5);
  expect((await run({ CERTCTL_PLAINTEXT: "true" }, "settings", "show", ...security)).code).toBe(0);
  expect((await run({}, "context", "set", "moved", ...security)).code).toBe(0);
  expect((await run({}, "settings", "show")).code).toBe(0);
  expect((await run({}, "context", "set", "moved", "--store", another)).code).toBe(0);
  expect((await run({}, "settings", "show")).code).toBe(0);
}, 120_000);

test("an empty value clears a setting of a context, which remains usable", async () => {
  const location = path.join(folder, "config/cleared.json");
  const run = (...args: string[]) => runCertctlWith({ ...variables, CERTCTL_CONFIG: location }, ...args);
  const plain = ["--registry", "127.0.0.1:1", "--store", "a.example", "--plaintext"];
  expect((await run("context", "set", "cleared", ...plain)).code).toBe(0);
  const cleared = ["--store=", "--registry=", "--cert-file=", "--cert-domain="];
  expect((await run("context", "set", "cleared", ...cleared)).code).toBe(0);
  expect(await run("context", "list")).toMatchObject({ code: 0, out: "*  cleared  -  -  plaintext\n" });
  expect((await run("context", "set", "cleared", "--cert-file", cert)).code).toBe(0);
  expect((await run("context", "set", "cleared", "--cert-file=")).code).toBe(0);
  expect(await run("context", "list")).toMatchObject({ code: 0, out: "*  cleared  -  -  -\n" });
}, 120_000);

test.each([
  ["operator", "create", "Ada", "--right", "inspect", "--for", "*"],
  ["context", "list"],
])("certctl %s %s needs no registry, and works although the named context does not exist", async (...args) => {
  const { code, error } = await runCertctlWith({ ...variables, CERTCTL_CONTEXT: "missing" }, ...args);
  expect([code, error.includes("missing")], error).toEqual([0, false]);
});
