import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cruiser = path.join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
const settings = ".dependency-cruiser.cjs";

function cruise(folder: string, ...parts: string[]) {
  const args = [cruiser, ...parts, "--config", settings, "--output-type", "err"];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
}

/** A small tree with one file in each of the places, under the project's own rules. */
function treeWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), "certificate-registry-imports-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of [settings, "package.json", "tsconfig.json"])
    copyFileSync(path.join(root, name), path.join(folder, name));
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

test("imports follow the arrows of services/README.md, without a cycle", () => {
  const result = cruise(root, "services", "deploy", "test");
  expect(result.stdout).toMatch(/no dependency violations found \(\d{3,} modules/);
  expect(result.status).toBe(0);
});

test.each([
  [
    "services-meet-over-grpc",
    { "services/edge/a.ts": 'import "../registry/b.ts";', "services/registry/b.ts": "export {};" },
  ],
  [
    "shared-knows-no-service",
    { "services/shared/a.ts": 'import "../edge/b.ts";', "services/edge/b.ts": "export {};" },
  ],
  [
    "domain-knows-no-storage",
    {
      "services/registry/certificates/a.ts": 'import "../mongo/b.ts";',
      "services/registry/mongo/b.ts": "export {};",
    },
  ],
  [
    "mongodb-in-one-place",
    { "services/registry/a.ts": 'import { ObjectId } from "mongodb"; new ObjectId();' },
  ],
  [
    "no-cycles",
    {
      "services/edge/a.ts": 'import type { B } from "./b.ts"; export type A = B;',
      "services/edge/b.ts": 'import type { A } from "./a.ts"; export type B = A | 1;',
    },
  ],
])("the guard finds a breach of %s", (rule, files) => {
  const result = cruise(treeWith(files), "services");
  expect(result.stdout).toContain(rule);
  expect(result.status).not.toBe(0);
});
