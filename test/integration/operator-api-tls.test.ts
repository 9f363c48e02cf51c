import { readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { generateOperatorToken } from "#shared/operators/operator-token.ts";
import { CertificateAuthority } from "../../services/shared/tls/certificate-authority.ts";
import { eventually } from "../harness/eventually.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { issueFiles } from "../harness/issue-files.ts";
import { metricValues } from "../harness/metric-values.ts";
import { openOperatorsFile, operatorEntryOf } from "../harness/operators-file.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";

const folder = await openTemporaryFolder("operator-api-tls", afterAll);
const authority = await CertificateAuthority.create();
const issue = () => issueFiles(folder, authority, ["localhost"], { usages: ["server"] });
const files = await issue();
const token = generateOperatorToken();
const { path } = await openOperatorsFile([operatorEntryOf({ actor: "ada", token })]);
const env = { REGISTRY_OPERATORS_FILE: path };
const tls = { REGISTRY_API_CERT_FILE: files.cert, REGISTRY_API_KEY_FILE: files.key };

/** Lists the stores over a new connection. @returns the status and the fingerprint of the server's certificate */
async function listStores(apiUrl: string | undefined) {
  const { port } = new URL(apiUrl ?? "");
  const agent = new Agent({ ca: readFileSync(files.ca) });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const path = "/registry.v1.StoreAdminService/ListStores";
  return new Promise<{ status: number | undefined; fingerprint: string }>((resolve, reject) => {
    const call = request({ host: "localhost", port, path, method: "POST", headers, agent }, async (response) => {
      const { fingerprint256: fingerprint } = (response.socket as TLSSocket).getPeerCertificate();
      await text(response);
      agent.destroy();
      resolve({ status: response.statusCode, fingerprint });
    });
    call.on("error", reject);
    call.end("{}");
  });
}

test("serves HTTPS with the certificate from the files, and uses a replaced certificate for new connections", async () => {
  const registry = await openTestRegistry({ env: { ...env, ...tls } });
  const first = await listStores(registry.apiUrl);
  expect(first.status).toBe(200);
  const expiry = await metricValues(registry.operationsUrl, "tls_certificate_expiry_timestamp_seconds");
  expect(expiry['use="api"']).toBeGreaterThan(Date.now() / 1_000);
  const next = await issue();
  await copyFile(next.cert, files.cert);
  await copyFile(next.key, files.key);
  await eventually(
    async () => {
      const { status, fingerprint } = await listStores(registry.apiUrl);
      expect(status).toBe(200);
      expect(fingerprint).not.toBe(first.fingerprint);
    },
    { everyMs: 500 },
  );
  await expect(fetch(`${registry.apiUrl}/`)).rejects.toThrow();
});

test("warns at startup if the API is not encrypted", async ({ onTestFinished }) => {
  const { lines, onLogLine } = captureLog();
  await openTestRegistry({ env, onLogLine }, onTestFinished);
  const msg = "the operator API is not encrypted, because REGISTRY_API_CERT_FILE and REGISTRY_API_KEY_FILE are not set";
  expect(lines).toContainEqual(expect.objectContaining({ level: 40, msg }));
});

test.each([{ REGISTRY_API_CERT_FILE: files.cert }, { REGISTRY_API_KEY_FILE: files.key }])(
  "does not start with %o alone",
  async (one) => {
    const problem = "REGISTRY_API_CERT_FILE and REGISTRY_API_KEY_FILE must be set together";
    await expect(startTestRegistry({ env: { ...env, ...one } })).rejects.toThrow(problem);
  },
);
