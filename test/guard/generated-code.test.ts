import { execFileSync, spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("proto/gen matches the output of buf generate", async () => {
  const folder = await openTemporaryFolder("certificate-registry-gen", onTestFinished);
  const buf = path.join(root, "node_modules/.bin/buf");
  execFileSync(buf, ["generate", "--output", folder], { cwd: path.join(root, "proto") });
  const difference = spawnSync("diff", ["-r", path.join(folder, "gen"), path.join(root, "proto/gen")], {
    encoding: "utf8",
  });
  expect(difference.stdout).toBe("");
  expect(difference.status).toBe(0);
});
