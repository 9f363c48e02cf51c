import { spawnSync } from "node:child_process";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { executedCode } from "./executed-code.ts";

// A change in one of these paths makes the figures of the part outdated. For other parts, any change in services does.
const measuredPaths: Readonly<Record<string, readonly string[]>> = {
  list: ["services/edge", "services/registry", "services/shared", "proto"],
  verification: ["services/edge", "services/registry", "services/shared", "proto"],
  paint: ["services/edge", "services/registry", "services/shared", "proto"],
  sync: ["services/edge", "services/registry", "services/shared", "proto"],
  overload: ["services/edge", "services/registry", "services/shared", "proto"],
  start: ["services", "proto", "deploy/local"],
  changes: ["services/registry", "services/shared", "proto"],
  import: ["services/registry", "services/shared", "proto"],
  webhooks: ["services/notifier", "services/registry", "services/shared", "proto"],
  triggers: ["services/notifier", "services/registry", "services/shared", "proto"],
  isolation: ["services/notifier", "services/registry", "services/shared", "proto"],
  tls_flood: ["services/notifier", "services/registry", "services/shared", "proto"],
  admission: ["services/registry/mongo", "services/registry/stores"],
  "check:limit": ["services/edge", "services/registry", "services/shared", "proto"],
  "check:webhooks": ["services/notifier", "services/registry", "services/shared", "proto"],
};

/** Returns the abbreviated commit of HEAD. @throws Error when services or proto have uncommitted changes */
export function measuredCommit(): string {
  if (git("status", "--porcelain", "--", "services", "proto") !== "")
    throw new Error("services or proto have uncommitted changes: commit them before you use --record.");
  return git("rev-parse", "--short", "HEAD");
}

/**
 * Returns whether code that a part measures has changed between a commit and HEAD, apart from comments, types and
 * tests; true for an unknown commit.
 */
export function hasCodeChanged(part: string, commit: string): boolean {
  const paths = measuredPaths[part] ?? ["services"];
  try {
    // Without rename detection, a moved file is listed as a deleted file and an added one.
    const changed = git("diff", "--name-only", "--no-renames", commit, "HEAD", "--", ...paths);
    return changed.split("\n").some((path) => path !== "" && codeAt(commit, path) !== codeAt("HEAD", path));
  } catch {
    return true;
  }
}

/** Returns the executed code of a file at a commit; the empty string if the commit does not have the file. */
function codeAt(commit: string, path: string): string {
  return git("ls-tree", commit, "--", path) === "" ? "" : executedCode(path, git("show", `${commit}:${path}`));
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: projectFolder, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  return stdout.trim();
}
