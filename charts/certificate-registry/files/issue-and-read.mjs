// Run by `helm test`: issues a certificate with certctl and reads it through the public API.
import { spawnSync } from "node:child_process";

const { CERTCTL_STORE: store = "", EDGE_URL: edge = "" } = process.env;
const log = (line) => process.stdout.write(`${line}\n`);

function certctl(...args) {
  const options = { encoding: "utf8", timeout: 30_000 };
  const { status, stdout, stderr } = spawnSync("node", ["/app/services/cli/main.ts", ...args], options);
  if (status !== 0) throw new Error(`certctl ${args.slice(0, 2).join(" ")} failed: ${stderr}`);
  return { stdout: stdout.trim(), stderr };
}

async function readCertificate(serial, apiKey) {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const url = `${edge}/v1/certificates?serial=${serial}`;
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
  if (response.status !== 200) throw new Error(`GET ${url} returned ${response.status}: ${await response.text()}`);
  return (await response.json()).certificates[0];
}

if (!certctl("store", "list").stdout.split(/\s+/).includes(store)) {
  log(`creating the store ${store}`);
  certctl("store", "create", store, "--plan", "pro");
}
const { stdout: apiKey, stderr } = certctl("key", "create", "--label", "helm test");
const keyId = /key id (\S+);/.exec(stderr)?.[1] ?? "";
try {
  const buyer = ["--name", "Helm Test", "--email", "helm-test@example.com"];
  const { stdout } = certctl("certificate", "issue", "--title", "Helm test", ...buyer);
  const [id, serial] = stdout.split(/\s+/);
  log(`issued certificate ${serial}`);
  const found = await readCertificate(serial, apiKey);
  if (found?.id !== id) throw new Error(`The API does not list certificate ${serial}.`);
  log(`read the certificate through ${edge}`);
} finally {
  certctl("key", "revoke", keyId, "--yes");
}
