/**
 * `npm run check:audit`: fails when `npm audit` knows a vulnerability of severity high or critical in any package that is
 * installed. Not every registry of packages answers audits: then it says that nothing was looked at, and does not fail.
 */
import { spawnSync } from "node:child_process";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { classifyAudit } from "./classify-audit.ts";

const waitMs = 120_000;

const { stdout } = spawnSync("npm", ["audit", "--json"], {
  cwd: projectFolder,
  encoding: "utf8",
  timeout: waitMs,
});
const { isGood, words } = classifyAudit(stdout ?? "");
process.stdout.write(`${words}\n`);
process.exitCode = isGood ? 0 : 1;
