import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { afterAll, expect, type TestContext, test } from "vitest";
import { packClient } from "../../deploy/client-package/pack-client.ts";
import { certificateFixture, timeAt } from "../../services/client/client-fixture.ts";
import { findOtherNode, findRuntime, type Runtime, readFixture } from "../client/runtimes.ts";

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
const server = createServer((request, response) => {
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
}).listen(0, "127.0.0.1");
const project = await mkdtemp(path.join(tmpdir(), "client-project-"));
afterAll(async () => {
  server.close();
  await rm(project, { recursive: true });
});

const tarball = path.join(project, "client.tgz");
await packClient(tarball);
await writeFile(path.join(project, "package.json"), JSON.stringify({ name: "shop", private: true, type: "module" }));
await execa("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: project });
await writeFile(path.join(project, "every-runtime.mjs"), await readFixture("every-runtime.mjs"));

async function expectWorks({ command, args }: Runtime): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const input = JSON.stringify({ baseUrl: `http://127.0.0.1:${port}`, apiKey, secret, body, signature });
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
  expect(stdout.split("\n").slice(1)).toEqual([path.join(project, "node_modules/certificate-registry")]);
  const { stdout: listed } = await execa("tar", ["tzf", tarball]);
  expect(
    listed.split("\n").filter((file) => !/\.(js|d\.ts)$|\/(package\.json|README\.md|LICENSE)$/.test(file)),
  ).toEqual([]);
});

test("the packed library works under this version of Node", { timeout }, () =>
  expectWorks({ command: process.execPath, args: [] }),
);

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

function skip(context: TestContext, reason: string): void {
  process.stdout.write(`skipped: ${reason}\n`);
  context.skip(reason);
}

test("a strict TypeScript project compiles against the packed library's declarations", { timeout }, async () => {
  await writeFile(path.join(project, "consumer.ts"), await readFixture("consumer.ts"));
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--types", "", "--ignoreConfig"];
  const libraries = ["--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext"];
  const result = await execa(process.execPath, [compiler, ...options, ...libraries, "consumer.ts"], {
    cwd: project,
    reject: false,
  });
  expect(result.stdout).toBe("");
  expect(result.exitCode).toBe(0);
});
