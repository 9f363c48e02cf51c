// Runs before `npm start` and the operators' commands, which need the packages of the services and of
// deploy/local/packages, and with `--all` before `npm test`, which needs the devDependencies too. Installs packages unless
// it has already installed them from the current package-lock.json. Must work on any version of Node and without packages.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const inModules = (name) => path.join(root, "node_modules", name);
const stamp = inModules(".installed-lock");
const lock = createHash("sha256")
  .update(readFileSync(path.join(root, "package-lock.json")))
  .digest("hex");

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const isEmpty = !existsSync(inModules(".package-lock.json"));
const [installedLock, installed = "all"] = existsSync(stamp) ? readFileSync(stamp, "utf8").split(" ") : [];
// The packages of the tests stay once they are installed, by this program or by `npm ci`.
const wanted = process.argv.includes("--all") || (!isEmpty && installed === "all") ? "all" : "start";
if (isEmpty || installedLock !== lock || (wanted === "all" && installed !== "all")) {
  // On standard error: the output of certctl may be captured.
  process.stderr.write("Installing the packages in package-lock.json (usually takes 20 to 40 seconds) …\n");
  const npm = process.env.npm_execpath;
  const command = npm === undefined ? ["npm"] : [process.execPath, npm];
  // `npm ci` deletes the packages that exist; it is the one that refuses a lock file that differs from package.json.
  const install = isEmpty ? ["ci"] : ["install", "--no-save"];
  const omit = wanted === "all" ? [] : ["--omit=dev"];
  // Without warnings about the version of Node that runs npm: the packages are used with a Node that they include.
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync(command[0], [...command.slice(1), ...install, ...omit, ...quiet], {
    cwd: root,
    stdio: ["inherit", 2, 2],
  });
  if (status !== 0) fail("npm failed (see above). Check the network and the npm registry, then retry.");
  writeFileSync(stamp, `${lock} ${wanted}`);
}
if (Number.parseInt(process.versions.node, 10) < 24 && !existsSync(inModules(".bin/node")))
  fail("Install Node 24 or newer: npm has no build of it for this system.");
