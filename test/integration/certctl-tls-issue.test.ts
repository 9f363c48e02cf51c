import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Peer, peers } from "#shared/rpc/peer-names.ts";
import { certctlVariables } from "../harness/certctl-variables.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctl, runCertctlWith } from "../harness/run-certctl.ts";

const folder = await openTemporaryFolder("tls-issue", afterAll);

function filesOf(peer: Peer, root: string) {
  const fileOf = (name: string) => path.join(root, peer, name);
  return { cert: fileOf("tls.crt"), key: fileOf("tls.key"), ca: fileOf("ca.crt") };
}

test("issues certificates with which certctl can call a registry over mutual TLS", async (context) => {
  const root = path.join(folder, "used");
  const { code, out } = await runCertctl("tls", "issue", "--folder", root);
  expect([code, out]).toEqual([0, expect.stringContaining("issued registry.certificate-registry.internal, edge.")]);
  const [edge, operator] = [filesOf("edge", root), filesOf("operator", root)];
  const grpc = { registry: filesOf("registry", root), edge, notifier: filesOf("notifier", root), operator };
  const { address } = await openTestRegistry({ grpc }, context.onTestFinished);
  const listWith = (files: typeof operator) =>
    runCertctlWith(certctlVariables(files), "--registry", address, "store", "list");
  expect(await listWith(operator)).toMatchObject({ code: 0 });
  expect((await listWith(edge)).error).toContain("operator.certificate-registry.internal in subjectAltName");
});

test("keeps a complete set of certificates, and issues the whole set again if a file is missing", async () => {
  const root = path.join(folder, "kept");
  const issue = () => runCertctl("tls", "issue", "--folder", root);
  await issue();
  const { cert, ca } = filesOf("edge", root);
  const first = await readFile(cert, "utf8");
  expect((await issue()).out).toBe(`kept the existing certificates in ${root}\n`);
  expect(await readFile(cert, "utf8")).toBe(first);
  await rm(ca);
  expect((await issue()).out).toMatch(/^issued /);
  expect(await readFile(cert, "utf8")).not.toBe(first);
});

test("issues the whole set again after a run that was interrupted while it replaced an incomplete set", async () => {
  const root = path.join(folder, "interrupted");
  const issue = () => runCertctl("tls", "issue", "--folder", root);
  await issue();
  const [registry, edge] = [filesOf("registry", root), filesOf("edge", root)];
  const kept = await readFile(edge.cert);
  await rm(registry.key);
  // Ends the run at this file.
  await rm(edge.cert);
  await mkdir(edge.cert);
  expect((await issue()).code).not.toBe(0);
  expect((await stat(registry.key)).size).toBeGreaterThan(0);
  await rm(edge.cert, { recursive: true });
  await writeFile(edge.cert, kept);
  expect((await issue()).out).toMatch(/^issued /);
  const authorities = await Promise.all(peers.map((peer) => readFile(filesOf(peer, root).ca, "utf8")));
  expect(new Set(authorities).size).toBe(1);
});

test.each([
  [[], "600"],
  [["--group-readable"], "640"],
])("with the options %j, private keys have the mode %s", async (options, mode) => {
  const root = path.join(folder, mode);
  // Simulates a file that an interrupted run has left.
  await mkdir(path.join(root, "notifier"), { recursive: true });
  await writeFile(filesOf("notifier", root).key, "", { mode: 0o644 });
  expect((await runCertctl("tls", "issue", "--folder", root, ...options)).code).toBe(0);
  expect((await stat(filesOf("notifier", root).key)).mode % 0o1000).toBe(Number.parseInt(mode, 8));
});
