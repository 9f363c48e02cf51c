// Runs before `npm start` and `npm test`: installs the packages unless it has already installed them from the current
// package-lock.json. Must work on any version of Node and without packages.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const stamp = path.join(root, "node_modules", ".installed-lock");
const wanted = createHash("sha256")
  .update(readFileSync(path.join(root, "package-lock.json")))
  .digest("hex");

const isInstalled = existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
if (!isInstalled) {
  process.stdout.write("Installing the packages in package-lock.json (usually takes half a minute) …\n");
  const npm = process.env.npm_execpath;
  const command = npm === undefined ? ["npm"] : [process.execPath, npm];
  const { status } = spawnSync(command[0], [...command.slice(1), "ci", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) {
    process.stderr.write("npm ci failed (see above). Check the network and the npm registry, then retry.\n");
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
