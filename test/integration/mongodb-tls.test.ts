import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { CertificateAuthority } from "../../services/shared/tls/certificate-authority.ts";
import { eventually } from "../harness/eventually.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { issueFiles } from "../harness/issue-files.ts";
import { issueOne } from "../harness/issue-items.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { startTcpProxy } from "../harness/tcp-proxy.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createTestStore } from "../harness/test-stores.ts";

const folder = await openTemporaryFolder("mongodb-tls", afterAll);
const authority = await CertificateAuthority.create();
const database = await openTestDatabase();

/** Puts a TLS proxy that requires client certificates in front of the database. @returns a URI without TLS files */
async function startTlsDatabase(onEnd: (close: () => Promise<void>) => void) {
  const server = await issueFiles(folder, authority, ["localhost"], { usages: ["server"] });
  const [cert, key, ca] = [server.cert, server.key, server.ca].map((file) => readFileSync(file));
  const proxy = await startTcpProxy(database.uri, { tls: { cert, key, ca, requestCert: true } });
  onEnd(proxy.close);
  const uri = new URL(database.uri);
  uri.host = `localhost:${new URL(`tcp://${proxy.address}`).port}`;
  uri.searchParams.set("tls", "true");
  return uri;
}

/** Writes a client certificate in MongoDB's format: certificate and key in one file. @returns the file's path */
async function writeClientFile(issuer: CertificateAuthority): Promise<string> {
  const { cert, key } = await issueFiles(folder, issuer, ["registry"]);
  const file = join(folder, `${crypto.randomUUID()}.pem`);
  await writeFile(file, Buffer.concat([readFileSync(cert), Buffer.from("\n"), readFileSync(key)]));
  return file;
}

test("connects to a database that requires TLS and a client certificate, with a connection string from a file", async ({
  onTestFinished,
}) => {
  const uri = await startTlsDatabase(onTestFinished);
  uri.searchParams.set("tlsCAFile", (await issueFiles(folder, authority, [])).ca);
  uri.searchParams.set("tlsCertificateKeyFile", await writeClientFile(authority));
  const uriFile = join(folder, "uri");
  await writeFile(uriFile, `${uri.href}\n`);
  const env = { REGISTRY_MONGODB_URI: "", REGISTRY_MONGODB_URI_FILE: uriFile };
  const registry = await openTestRegistry({ database, env }, onTestFinished);
  expect(await issueOne(registry, await createTestStore(registry))).toMatch(/^crt_/);
});

test.concurrent.each<[string, (uri: URL) => Promise<void>]>([
  [
    "its authority is not trusted",
    async (uri) => {
      const { ca } = await issueFiles(folder, await CertificateAuthority.create(), []);
      uri.searchParams.set("tlsCAFile", ca);
      uri.searchParams.set("tlsCertificateKeyFile", await writeClientFile(authority));
    },
  ],
  [
    "its certificate is for another host",
    async (uri) => {
      uri.hostname = "127.0.0.1";
      uri.searchParams.set("tlsCAFile", (await issueFiles(folder, authority, [])).ca);
      uri.searchParams.set("tlsCertificateKeyFile", await writeClientFile(authority));
    },
  ],
  [
    "it refuses the client certificate",
    async (uri) => {
      uri.searchParams.set("tlsCAFile", (await issueFiles(folder, authority, [])).ca);
      uri.searchParams.set("tlsCertificateKeyFile", await writeClientFile(await CertificateAuthority.create()));
    },
  ],
])("does not use a database if %s, and logs that the registry is waiting", async (_case, change) => {
  const ends: (() => Promise<void>)[] = [];
  const uri = await startTlsDatabase((close) => void ends.push(close));
  await change(uri);
  const { lines, onLogLine } = captureLog();
  const env = { REGISTRY_MONGODB_URI: uri.href };
  const options = { database, env, onLogLine, untilReady: false };
  await openTestRegistry(options, (stop) => void ends.unshift(stop));
  await eventually(() => expect(lines.map(({ msg }) => msg)).toContain("waiting for the database"));
  expect(lines.map(({ msg }) => msg)).not.toContain("registry is ready");
  for (const end of ends) await end();
});
