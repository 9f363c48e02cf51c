import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cruiser = path.join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
const settings = ".dependency-cruiser.cjs";

const ruleNames = z
  .object({ forbidden: z.array(z.object({ name: z.string() })) })
  .parse(createRequire(import.meta.url)(path.join(root, settings)))
  .forbidden.map(({ name }) => name);

function cruise(folder: string, ...parts: string[]) {
  const args = [cruiser, ...parts, "--config", settings, "--output-type", "err"];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
}

/** Creates a temporary source tree with these files and the project's import rules; returns its folder. */
async function treeWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await openTemporaryFolder("certificate-registry-imports", onTestFinished);
  for (const name of [settings, "package.json", "tsconfig.json"])
    copyFileSync(path.join(root, name), path.join(folder, name));
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

/** For each import rule except `no-folder-cycles`, a file that violates the rule with one import. */
const breaches: Readonly<Record<string, { readonly file: string; readonly imports: string }>> = {
  "no-cycles": { file: "services/edge/cycle-a.ts", imports: "./cycle-b.ts" },
  "shared-imports-no-service": { file: "services/shared/a.ts", imports: "../edge/empty.ts" },
  "services-meet-over-grpc": { file: "services/edge/a.ts", imports: "../registry/empty.ts" },
  "mongodb-in-one-place": { file: "services/registry/a.ts", imports: "mongodb" },
  "domain-imports-no-storage": {
    file: "services/registry/certificates/a.ts",
    imports: "../mongo/empty.ts",
  },
  "storage-imports-no-transport": { file: "services/registry/mongo/a.ts", imports: "../rpc/empty.ts" },
  "transport-imports-no-storage": { file: "services/registry/rpc/a.ts", imports: "../mongo/empty.ts" },
  "koa-only-in-edge": { file: "services/notifier/a.ts", imports: "koa" },
  "production-imports-no-tests": { file: "services/cli/a.ts", imports: "../../test/empty.ts" },
  "client-stands-alone": { file: "services/client/a.ts", imports: "../shared/empty.ts" },
  "client-is-for-integrators": { file: "services/cli/c.ts", imports: "../client/empty.ts" },
  "main-is-not-imported": { file: "services/cli/b.ts", imports: "./main.ts" },
};

test("imports follow the rules of services/ARCHITECTURE.md", () => {
  const result = cruise(root, "services", "deploy", "test");
  expect(result.stdout).toMatch(/no dependency violations found \(\d{3,} modules/);
  expect(result.status).toBe(0);
});

test("every import rule also reports type imports", async () => {
  const files: Record<string, string> = {
    // Closes a cycle that consists only of type imports.
    "services/edge/cycle-b.ts": 'import type { A } from "./cycle-a.ts"; export type B = A;',
    // Two folders that import each other, without a cycle of modules.
    "services/cli/one/a.ts": 'import type { B } from "../two/b.ts"; export type A = B;',
    "services/cli/two/b.ts": "export type B = 1;",
    "services/cli/two/c.ts": 'import type { D } from "../one/d.ts"; export type C = D;',
    "services/cli/one/d.ts": "export type D = 1;",
  };
  for (const { file, imports } of Object.values(breaches)) {
    files[file] = `import type { B } from "${imports}"; export type A = B;`;
    const imported = path.join(path.dirname(file), imports);
    if (imports.endsWith(".ts")) files[imported] ??= "export type B = 1;";
  }
  const result = cruise(await treeWith(files), "services");
  expect(result.status).not.toBe(0);
  const reported = [...result.stdout.matchAll(/error (\S+): (\S+)/g)].map(([, rule, file]) => [rule, file]);
  for (const [rule, { file }] of Object.entries(breaches)) expect(reported).toContainEqual([rule, file]);
  expect(reported).toContainEqual(["no-folder-cycles", "services/cli/one"]);
  expect(["no-folder-cycles", ...Object.keys(breaches)].sort()).toEqual([...ruleNames].sort());
});
