import { createHmac } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { execa } from "execa";
import { beforeAll, expect, onTestFinished, type TestContext, test } from "vitest";
import { packPythonClient } from "../../deploy/client-package/pack-python-client.ts";
import { findPythonTools } from "../../deploy/client-package/python-tools.ts";
import { certificateFixture } from "../../services/client/client-fixture.ts";
import { RegistryClient } from "../../services/client/registry-client.ts";
import { SqliteStore } from "../../services/client/stores/sqlite-store.ts";
import { sync } from "../../services/client/sync/sync.ts";
import { requirePython, setupFailure, skip } from "../client/runtimes.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { inStore } from "../harness/in-store.ts";
import { orderItems } from "../harness/issue-items.ts";
import { createStoreClient, openProcessStack, type ProcessStack } from "../harness/stack/process-stack.ts";

const timeout = 400_000;
const fixtures = path.join(import.meta.dirname, "../client");
const library = path.join(import.meta.dirname, "../../services/client-python");
const secret = `crs_${"b".repeat(52)}`;

let stack: ProcessStack;
beforeAll(async () => {
  // Few requests in a short window, so that the library must wait as the service asks.
  stack = await openProcessStack({ REGISTRY_RATE_LIMIT: "6", REGISTRY_RATE_LIMIT_WINDOW_MS: "2000" });
});

async function openFolder(): Promise<string> {
  const folder = await openTemporaryFolder("python-client", onTestFinished);
  return folder;
}

/** Returns the tools that build and check the library; skips the test where they cannot be installed. */
async function requireTools(context: TestContext) {
  await requirePython(context);
  const setup = { env: process.env, log: () => undefined, signal: context.signal };
  const tools = await findPythonTools(setup).catch(setupFailure);
  return typeof tools === "string"
    ? skip(context, `hatchling and mypy cannot be installed: ${tools}`)
    : { setup, tools };
}

test("equal files give equal archives, which contain only the library, its type marker and its metadata", async (context) => {
  const { setup } = await requireTools(context);
  const [one, two] = [await openFolder(), await openFolder()];
  const release = { version: "7.0.0", isRelease: true };
  const { wheel, source } = await packPythonClient({ folder: one, ...release }, setup);
  const again = await packPythonClient({ folder: two, ...release }, setup);
  expect(path.basename(wheel)).toBe("certificate_registry_client-7.0.0-py3-none-any.whl");
  expect(await readFile(again.wheel)).toEqual(await readFile(wheel));
  expect(await readFile(again.source)).toEqual(await readFile(source));
  const { stdout } = await execa("python3", ["-m", "zipfile", "--list", wheel]);
  const names = stdout
    .split("\n")
    .slice(1)
    .map((line) => line.split(" ")[0] ?? "");
  expect(names).toContain("certificate_registry/py.typed");
  expect(
    names.filter(
      (name) => !/^certificate_registry\/(\w+\.py|py\.typed)$|^certificate_registry_client-.*\.dist-info\//.test(name),
    ),
  ).toEqual([]);
});

test("a library that differs from its release is not packed under the same version", async (context) => {
  const { setup } = await requireTools(context);
  const folder = await openFolder();
  const released = await packPythonClient({ folder, version: "7.0.0", isRelease: true }, setup);
  expect(await packPythonClient({ folder, version: "7.0.0" }, setup)).toEqual(released);
  await execa("tar", ["-xzf", released.source], { cwd: folder });
  const name = path.basename(released.source, ".tar.gz");
  await writeFile(path.join(folder, name, "certificate_registry/_clock.py"), "");
  await execa("tar", ["-czf", released.source, name], { cwd: folder });
  await expect(packPythonClient({ folder, version: "7.0.0" }, setup)).rejects.toThrow("Raise the version");
});

test("the library, its tests and a typed program that uses it pass mypy --strict", { timeout }, async (context) => {
  const { tools } = await requireTools(context);
  const folder = await openFolder();
  const mypy = (...args: string[]) => {
    const all = ["-m", "mypy", "--strict", "--cache-dir", path.join(folder, "cache"), ...args];
    return execa(tools.command, all, { cwd: library, env: tools.env, all: true, reject: false });
  };
  for (const version of ["3.10", "3.14"])
    expect((await mypy("--python-version", version, "certificate_registry", "tests")).all).toMatch(/^Success/m);
  expect((await mypy(path.join(fixtures, "consumer.py"))).all).toMatch(/^Success/m);
});

test("the installed wheel reads, copies and waits at a real edge, and either library continues the other's copy", {
  timeout,
}, async (context) => {
  const { setup } = await requireTools(context);
  const python = await requirePython(context);
  const folder = await openFolder();
  const { wheel } = await packPythonClient({ folder }, setup);
  const venv = path.join(folder, "venv");
  const created = await execa(python, ["-m", "venv", venv], { reject: false, all: true });
  if (created.failed) return skip(context, `python3 has no venv: ${created.all}`);
  await execa(path.join(venv, "bin/pip"), ["install", "--no-index", "--disable-pip-version-check", wheel]);

  const { storeId, apiKey } = await createStoreClient(stack);
  await stack.issuing.issueCertificates({ items: orderItems(130) }, inStore(storeId));
  // Later than what the list contains: an older message would be ignored.
  const updatedAt = new Date(Date.now() + 3_600_000).toISOString();
  const certificate = certificateFixture("crt_message", 1, { updatedAt });
  const body = JSON.stringify({ version: 2, event: "issued", shop: "s.example", occurredAt: "2026", certificate });
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const [file, other] = [path.join(folder, "copy.db"), path.join(folder, "other.db")];
  const client = new RegistryClient({ baseUrl: stack.baseUrl, apiKey });
  const copyTo = async (name: string) => {
    const database = new DatabaseSync(name);
    onTestFinished(() => database.close());
    return sync(client, new SqliteStore(database));
  };
  await copyTo(other);
  const options = JSON.stringify({ baseUrl: stack.baseUrl, apiKey, secret, body, signature, file, other });
  const script = path.join(fixtures, "every-python.py");
  const { stdout } = await execa(path.join(venv, "bin/python"), [script, options], {
    cwd: folder,
    env: { no_proxy: "127.0.0.1" },
    timeout: 240_000,
  });
  expect(JSON.parse(stdout)).toEqual({
    read: [130, 0, 0],
    pages: Array.from({ length: 13 }, () => 10),
    epochs: 1,
    one: true,
    status: "active",
    recent: 130,
    statuses: [204, 401],
    owners: [["ada@example.test", "active", 131]],
    errors: [
      [404, "not_found", true, false],
      [400, "bad_request", true, false],
      [401, "unauthorized", true, false],
    ],
  });
  expect(await copyTo(file)).toEqual({ read: 0, removed: 0, wasRestored: false });
});
