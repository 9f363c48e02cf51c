import { spawnSync } from "node:child_process";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";

// Code that determines the figures of each part: a change in one of these paths makes the figures outdated.
const measuredPaths: Readonly<Record<string, readonly string[]>> = {
  list: ["services/edge", "services/registry", "services/shared", "proto"],
  sync: ["services/edge", "services/registry", "services/shared", "proto"],
  overload: ["services/edge", "services/registry", "services/shared", "proto"],
  start: ["services", "proto", "deploy/local"],
  changes: ["services/registry", "services/shared", "proto"],
  import: ["services/registry", "services/shared", "proto"],
  webhooks: ["services/notifier", "services/registry", "services/shared", "proto"],
  isolation: ["services/notifier", "services/registry", "services/shared", "proto"],
  tls_flood: ["services/notifier", "services/registry", "services/shared", "proto"],
  admission: ["services/registry/mongo", "services/registry/stores"],
  "check:limit": ["services/edge", "services/registry", "services/shared", "proto"],
  "check:webhooks": ["services/notifier", "services/registry", "services/shared", "proto"],
};

/** Returns the abbreviated commit of HEAD. @throws Error when measured code has uncommitted changes */
export function measuredCommit(): string {
  if (git("status", "--porcelain", "--", "services", "proto") !== "")
    throw new Error("services or proto have uncommitted changes: commit them before you use --record.");
  return git("rev-parse", "--short", "HEAD");
}

/** Returns whether code that a part measures has changed between a commit and HEAD; true for an unknown commit. */
export function hasCodeChanged(part: string, commit: string): boolean {
  try {
    return git("diff", "--name-only", commit, "HEAD", "--", ...(measuredPaths[part] ?? ["services"])) !== "";
  } catch {
    return true;
  }
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: projectFolder, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  return stdout.trim();
}
