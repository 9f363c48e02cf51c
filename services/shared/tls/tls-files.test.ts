import { rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ConfigError } from "#shared/config/config-error.ts";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { ManualClock } from "../time/manual-clock-fixture.ts";
import { CertificateAuthority, type CertificateRequest } from "./certificate-authority.ts";
import { openTlsFiles } from "./tls-files.ts";

const authority = await CertificateAuthority.create();
const name = "edge.example.internal";
const issue = (request: Partial<CertificateRequest> = {}) =>
  authority.issue({ commonName: "x", alternativeNames: [{ type: "dns", value: name }], ...request });

/** Writes a valid certificate, its key and the authority's certificate to files. */
async function writeFiles() {
  const folder = await openTemporaryFolder("tls-files", onTestFinished);
  const fileOf = (file: string) => path.join(folder, file);
  const write = (file: string, text: string) => writeFile(fileOf(file), text);
  const first = await issue();
  await write("cert.pem", first.certPem);
  await write("key.pem", first.keyPem);
  await write("ca.pem", authority.caPem);
  const clock = new ManualClock(Date.now());
  const { logger, lines } = captureLog();
  const checks: boolean[] = [];
  const deps = {
    files: {
      cert: { variable: "CERT_FILE", file: fileOf("cert.pem") },
      key: { variable: "KEY_FILE", file: fileOf("key.pem") },
      ca: { variable: "CA_FILE", file: fileOf("ca.pem") },
    },
    name,
    clock,
    logger,
    onChecked: (_identity: unknown, areValid: boolean) => void checks.push(areValid),
  };
  return { folder, fileOf, write, deps, first, clock, lines, checks };
}

test("loads the new content when the files change, and notifies listeners", async () => {
  const { write, deps, first, lines } = await writeFiles();
  const files = openTlsFiles(deps);
  const seen: string[] = [];
  const remove = files.onChange(({ certPem }) => void seen.push(certPem));
  expect(files.value).toMatchObject({ certPem: first.certPem, caPem: authority.caPem });
  const second = await issue();
  await write("cert.pem", second.certPem);
  await write("key.pem", second.keyPem);
  files.refresh();
  files.refresh();
  expect(files.value.certPem).toBe(second.certPem);
  expect(seen).toEqual([second.certPem]);
  expect(lines.map(({ msg }) => msg)).toEqual(["reloaded changed TLS files"]);
  remove();
  await write("ca.pem", `${authority.caPem}\n${(await CertificateAuthority.create()).caPem}`);
  files.refresh();
  expect(files.value.caPem?.match(/BEGIN/g)).toHaveLength(2);
  expect(seen).toHaveLength(1);
});

test("reads the files again after five seconds, and follows a symbolic link that has been replaced", async () => {
  const { fileOf, write, deps, clock } = await writeFiles();
  await rename(fileOf("cert.pem"), fileOf("cert-1.pem"));
  await symlink("cert-1.pem", fileOf("cert.pem"));
  const files = openTlsFiles(deps);
  files.start();
  const replaced = Promise.withResolvers<void>();
  files.onChange(() => replaced.resolve());
  const second = await issue();
  await write("cert-2.pem", second.certPem);
  await write("key.pem", second.keyPem);
  await symlink("cert-2.pem", fileOf("next"));
  await rename(fileOf("next"), fileOf("cert.pem"));
  const before = clock.now();
  await clock.endSleep();
  await replaced.promise;
  expect(clock.now() - before).toBe(5_000);
  expect(files.value.certPem).toBe(second.certPem);
  await files.stop();
});

const expired = await issue({ days: -1 });
const otherName = await issue({ alternativeNames: [{ type: "dns", value: "notifier.example.internal" }] });
const commonNameOnly = await issue({ commonName: name, alternativeNames: undefined });
const wildcard = await issue({ alternativeNames: [{ type: "dns", value: "*.example.internal" }] });
const fresh = await issue();

test.each<[string, Record<string, string>, string]>([
  [
    "the certificate is half-written",
    { "cert.pem": fresh.certPem.slice(0, 200) },
    "CERT_FILE: FOLDER/cert.pem contains",
  ],
  ["a file is empty", { "ca.pem": "" }, "CA_FILE: FOLDER/ca.pem contains no PEM certificate"],
  [
    "the key is half-written",
    { "key.pem": fresh.keyPem.slice(0, 60) },
    "KEY_FILE: FOLDER/key.pem is not the private key",
  ],
  [
    "the key is empty, as it is while it is written",
    { "cert.pem": fresh.certPem, "key.pem": "" },
    "KEY_FILE: FOLDER/key.pem is not the private key",
  ],
  [
    "only the certificate is replaced",
    { "cert.pem": fresh.certPem },
    "KEY_FILE: FOLDER/key.pem is not the private key",
  ],
  ["the certificate is expired", { "cert.pem": expired.certPem, "key.pem": expired.keyPem }, "cert.pem expired on 20"],
  [
    "the certificate is for another peer",
    { "cert.pem": otherName.certPem, "key.pem": otherName.keyPem },
    `the name ${name}`,
  ],
  [
    "only the common name is right",
    { "cert.pem": commonNameOnly.certPem, "key.pem": commonNameOnly.keyPem },
    `the name ${name}`,
  ],
  ["the name is a wildcard", { "cert.pem": wildcard.certPem, "key.pem": wildcard.keyPem }, `the name ${name}`],
])("keeps the previous certificate, and logs the problem once, when %s", async (_case, texts, reason) => {
  const { folder, write, deps, first, lines, checks } = await writeFiles();
  const files = openTlsFiles(deps);
  for (const [file, text] of Object.entries(texts)) await write(file, text);
  files.refresh();
  files.refresh();
  expect(files.value.certPem).toBe(first.certPem);
  expect(lines).toMatchObject([{ level: 50, reason: expect.stringContaining(reason.replace("FOLDER", folder)) }]);
  expect(checks).toEqual([true, false, false]);
  await write("cert.pem", fresh.certPem);
  await write("key.pem", fresh.keyPem);
  await write("ca.pem", authority.caPem);
  files.refresh();
  expect(files.value.certPem).toBe(fresh.certPem);
  expect(checks.at(-1)).toBe(true);
});

test("reports a certificate that expires while it is in use", async () => {
  const { deps, clock, lines, checks } = await writeFiles();
  const files = openTlsFiles(deps);
  await clock.advance(files.value.validTo + 1 - clock.now());
  files.refresh();
  expect(checks).toEqual([true, false]);
  expect(lines).toMatchObject([{ level: 50, reason: expect.stringContaining("cert.pem expired on 20") }]);
});

test("starts with an expired certificate, and reports it", async () => {
  const { write, deps, lines, checks } = await writeFiles();
  await write("cert.pem", expired.certPem);
  await write("key.pem", expired.keyPem);
  expect(openTlsFiles(deps).value.certPem).toBe(expired.certPem);
  expect(checks).toEqual([false]);
  expect(lines).toHaveLength(1);
});

test("refuses to start with an unusable file, naming the variable and the file", async () => {
  const { write, fileOf, deps } = await writeFiles();
  await write("key.pem", fresh.keyPem);
  expect(() => openTlsFiles(deps)).toThrow(ConfigError);
  expect(() => openTlsFiles(deps)).toThrow(
    `KEY_FILE: ${fileOf("key.pem")} is not the private key of the certificate in`,
  );
  await write("cert.pem", "x");
  await write("ca.pem", "y");
  expect(() => openTlsFiles(deps)).toThrow(/CERT_FILE: .* contains no PEM.*; CA_FILE: .* contains no PEM/);
  await rm(fileOf("key.pem"));
  expect(() => openTlsFiles(deps)).toThrow(`KEY_FILE: ${fileOf("key.pem")} cannot be read (ENOENT)`);
});
