/**
 * `npm run check:audit` fails when `npm audit` reports a dependency with a vulnerability of severity high or critical.
 * It passes with a notice when `npm audit` prints no audit report.
 */
import { spawnSync } from "node:child_process";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { classifyAudit } from "./verdict.ts";

const options = { cwd: projectFolder, encoding: "utf8", timeout: 120_000 } as const;
const { stdout } = spawnSync("npm", ["audit", "--json"], options);
const { passed, text } = classifyAudit(stdout ?? "");
process.stdout.write(`${text}\n`);
process.exitCode = passed ? 0 : 1;
