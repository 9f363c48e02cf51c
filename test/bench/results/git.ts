import { spawnSync } from "node:child_process";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { executedCode } from "./executed-code.ts";

// Excludes the folders whose code does not run in list requests, changes or deliveries.
const edgeOfLists = [
  "services/edge",
  ...without("services/edge", "connector docs openapi pages settings verification"),
];
const registryOfLists = ["services/registry", ...without("services/registry", "backup imports persons storefront")];
const edgeAndRegistry = [...edgeOfLists, ...registryOfLists, "services/shared", "proto"];
const deliveries = ["services/notifier", ...registryOfLists, "services/shared", "proto"];

// A change in one of these paths makes the part's figures outdated. A part that is not listed depends on all services.
const measuredPaths: Readonly<Record<string, readonly string[]>> = {
  list: edgeAndRegistry,
  poll: edgeAndRegistry,
  verification: ["services/edge", "services/registry", "services/shared", "proto"],
  paint: ["services/edge", "services/registry", "services/shared", "proto"],
  sync: edgeAndRegistry,
  overload: edgeAndRegistry,
  start: ["services", "proto", "deploy/local"],
  changes: [...registryOfLists, "services/shared", "proto"],
  import: ["services/registry", "services/shared", "proto"],
  webhooks: deliveries,
  triggers: deliveries,
  relay: ["services/registry/leases", "services/registry/mongo", "services/registry/outbox", "services/shared"],
  isolation: deliveries,
  tls_flood: deliveries,
  admission: ["services/registry/mongo", "services/registry/stores"],
  "check:limit": edgeAndRegistry,
  "check:webhooks": deliveries,
};

/** Returns the abbreviated hash of HEAD. @throws Error when a folder of measured code has uncommitted changes */
export function measuredCommit(): string {
  if (git("status", "--porcelain", "--", "services", "proto", "deploy/local") !== "")
    throw new Error("services, proto or deploy/local have uncommitted changes: commit them before you use --record.");
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

/** Returns Git pathspecs that exclude folders of a service. */
function without(service: string, folders: string): string[] {
  return folders.split(" ").map((folder) => `:(exclude)${service}/${folder}`);
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: projectFolder, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  return stdout.trim();
}
