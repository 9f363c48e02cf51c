import { createHmac, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { packClient } from "../../deploy/client-package/pack-client.ts";
import { certificateFixture, timeAt } from "../../services/client/client-fixture.ts";
import { findOtherNode, findRuntime, type Runtime, readFixture, skip } from "../client/runtimes.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { serveHttp } from "../harness/listeners/serve-http.ts";

const timeout = 400_000;
const root = path.join(import.meta.dirname, "../..");
const apiKey = "crk_right";
const secret = `crs_${"b".repeat(52)}`;
const certificates = [1, 2, 3].map((second) =>
  certificateFixture(`crt_${second}`, second, { serial: `00000${second}`, expiresAt: second === 2 ? timeAt(9) : null }),
);
const certificate = certificateFixture("crt_4", 4);
const message = { version: 2, event: "issued", shop: "s.example", occurredAt: timeAt(4), certificate };
const body = JSON.stringify(message);
const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

// Serves two pages, each after a 503 that asks the client to retry after a second.
let requests = 0;
const baseUrl = await serveHttp((request, response) => {
  const url = new URL(request.url ?? "", "http://localhost");
  const send = (status: number, document: object, headers: Record<string, string> = {}) =>
    response
      .writeHead(status, { "content-type": "application/json", "x-request-id": "r1", ...headers })
      .end(JSON.stringify(document));
  if (request.headers.authorization !== `Bearer ${apiKey}`)
    return void send(401, { error: "unauthorized", message: "No." });
  if (requests++ % 2 === 0) return void send(503, { error: "unavailable", message: "Wait." }, { "retry-after": "1" });
  const isFirst = !url.searchParams.has("cursor");
  const page = isFirst ? certificates.slice(0, 2) : certificates.slice(2);
  send(200, { certificates: page, next_cursor: isFirst ? "c" : null }, { "x-feed-epoch": "0" });
}, afterAll);
const project = await openTemporaryFolder("client-project", afterAll);

const tarball = await packClient();
await writeFile(path.join(project, "package.json"), JSON.stringify({ name: "shop", private: true, type: "module" }));
await execa("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: project });
await writeFile(path.join(project, "every-runtime.mjs"), await readFixture("every-runtime.mjs"));

async function expectWorks({ command, args }: Runtime): Promise<void> {
  const input = JSON.stringify({ baseUrl, apiKey, secret, body, signature });
  const { stdout } = await execa(command, [...args, "every-runtime.mjs", input], { cwd: project, timeout: 60_000 });
  expect(JSON.parse(stdout)).toEqual({
    serials: ["000001", "000002", "000003"],
    read: 3,
    statuses: [204, 401],
    copy: [
      ["crt_1", "active"],
      ["crt_2", "expired"],
      ["crt_3", "active"],
      ["crt_4", "active"],
    ],
    genuine: [true, false],
    error: [true, "unauthorized", 401, "r1"],
  });
}

test("the packed library has no dependencies and contains only compiled code, package.json, README and LICENSE", async () => {
  const { stdout } = await execa("npm", ["ls", "--all", "--parseable"], { cwd: project });
  expect(stdout.split("\n").slice(1)).toEqual([path.join(project, "node_modules/certificate-registry-client")]);
  const { stdout: listed } = await execa("tar", ["tzf", tarball]);
  expect(
    listed.split("\n").filter((file) => !/\.(js|d\.ts)$|\/(package\.json|README\.md|LICENSE)$/.test(file)),
  ).toEqual([]);
});

test("the packed library works under this version of Node", { timeout }, () =>
  expectWorks({ command: process.execPath, args: [] }),
);

test("the packed library can be required", { timeout }, async () => {
  const script = `console.log(typeof require("certificate-registry-client").RegistryClient)`;
  const { stdout } = await execa(process.execPath, ["--input-type=commonjs", "--eval", script], { cwd: project });
  expect(stdout).toBe("function");
});

test("the packed library works under another version of Node on the PATH", { timeout }, async (context) => {
  const runtime = await findOtherNode();
  if (runtime === undefined) return skip(context, "the PATH contains no other Node of version 20 or later");
  await expectWorks(runtime);
});

test.for(["deno", "bun"] as const)("the packed library works under %s", { timeout }, async (name, context) => {
  const runtime = await findRuntime(name, context.signal).catch((error: unknown) => String(error));
  if (typeof runtime === "string") return skip(context, `${name} cannot be installed: ${runtime}`);
  await expectWorks(runtime);
});

test("a locked build works with an empty cache before and after the next release, whose archive has an address of its own", async () => {
  const folder = await openTemporaryFolder("client-releases", onTestFinished);
  const archives = path.join(folder, "archives");
  const shop = path.join(folder, "shop");
  const files = await serveHttp(async (request, response) => {
    const bytes = await readFile(path.join(archives, path.basename(request.url ?? ""))).catch(() => undefined);
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  const npm = (command: string, ...args: string[]) => {
    const options = ["--no-audit", "--no-fund", "--cache", path.join(folder, `cache-${randomUUID()}`)];
    return execa("npm", [command, ...args, ...options], { cwd: shop });
  };
  await mkdir(shop);
  await writeFile(path.join(shop, "package.json"), JSON.stringify({ name: "shop", private: true }));
  const first = await packClient({ folder: archives, version: "7.0.0", isRelease: true });
  const bytes = await readFile(first);
  await npm("install", `${files}/docs/client-7.0.0.tgz`);
  await npm("ci");
  await packClient({ folder: archives, version: "7.1.0", isRelease: true });
  await npm("ci");
  expect(await readFile(first)).toEqual(bytes);
  expect((await readdir(archives)).toSorted()).toEqual(["client-7.0.0.tgz", "client-7.1.0.tgz"]);
});

test("a library that differs from its release is not packed under the same version", async () => {
  const folder = await openTemporaryFolder("client-release", onTestFinished);
  const repository = "git+https://host.example/shop/registry.git";
  const released = await packClient({ folder: folder, version: "7.0.0", isRelease: true, repository });
  expect(await packClient({ folder: folder, version: "7.0.0" })).toBe(released);
  await execa("tar", ["-xzf", released], { cwd: folder });
  await writeFile(path.join(folder, "package/client/index.js"), "export {};");
  await execa("tar", ["-czf", released, "package"], { cwd: folder });
  await expect(packClient({ folder: folder, version: "7.0.0" })).rejects.toThrow("Raise the version");
  const manifestFile = path.join(folder, "package/package.json");
  await execa("tar", ["-xzf", await packClient({ folder: folder, version: "7.1.0", isRelease: true })], {
    cwd: folder,
  });
  await writeFile(manifestFile, (await readFile(manifestFile, "utf8")).replace(">=20", ">=18"));
  await execa("tar", ["-czf", path.join(folder, "client-7.1.0.tgz"), "package"], { cwd: folder });
  await expect(packClient({ folder: folder, version: "7.1.0" })).rejects.toThrow("Raise the version");
});

test.each([
  ["an ES module", "consumer.mts", "nodenext"],
  ["an ES module", "consumer.mts", "node16"],
  ["a CommonJS module", "consumer.cts", "node16"],
])(
  "a strict TypeScript project with %s (%s, %s) compiles against the packed library's declarations",
  {
    timeout,
  },
  async (_kind, file, module) => {
    await writeFile(path.join(project, file), await readFixture("consumer.ts"));
    const compiler = path.join(root, "node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--types", "", "--ignoreConfig"];
    const libraries = ["--target", "es2022", "--lib", "es2022,dom", "--module", module];
    const result = await execa(process.execPath, [compiler, ...options, ...libraries, file], {
      cwd: project,
      reject: false,
    });
    expect(result.stdout).toBe("");
    expect(result.exitCode).toBe(0);
  },
);
