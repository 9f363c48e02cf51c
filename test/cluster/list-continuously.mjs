// Runs in the pod `load`: lists certificates page by page until it is stopped, retries nothing, and logs each failed
// request.
import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

const { CERTCTL_STORE: store = "", EDGE_URL: edge = "" } = process.env;
const clients = 4;
const pauseMs = 25;
const reportEveryMs = 1_000;

function certctl(...args) {
  const { status, stdout, stderr } = spawnSync("node", ["/app/services/cli/main.ts", ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

if (!certctl("store", "list").includes(store)) certctl("store", "create", store, "--plan", "pro");
// More than one page, so that cursors are used.
for (const title of ["First", "Second"])
  certctl("certificate", "issue", "--title", title, "--name", "Load", "--email", "load@example.com");
const apiKey = certctl("key", "create", "--label", "load");
const counts = { sent: 0, failed: 0 };
const log = (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`);

/** Requests a page. @returns the cursor of the next one, or null to start again */
async function list(cursor) {
  counts.sent += 1;
  try {
    const query = new URLSearchParams(cursor === null ? { limit: "1" } : { limit: "1", cursor });
    const headers = { Authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${edge}/v1/certificates?${query}`, { headers, signal: AbortSignal.timeout(10_000) });
    const body = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${body}`);
    return JSON.parse(body).next_cursor;
  } catch (error) {
    counts.failed += 1;
    log({ at: new Date().toISOString(), failure: `${error.message} ${error.cause?.message ?? ""}` });
    return null;
  }
}

async function runClient() {
  let cursor = null;
  for (;;) {
    cursor = await list(cursor);
    await delay(pauseMs);
  }
}

setInterval(() => log(counts), reportEveryMs);
process.once("SIGTERM", () => process.exit(0));
await Promise.all(Array.from({ length: clients }, runClient));
