import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ConfigError } from "#shared/config/config-error.ts";
import { CertificateAuthority } from "#shared/tls/certificate-authority.ts";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { UsageError } from "../output/usage-error.ts";
import { chooseSecurity } from "./choose-security.ts";
import { localFactsName } from "./local-facts.ts";

async function checkoutWith(facts: string): Promise<string> {
  const folder = await openTemporaryFolder("choose-security", onTestFinished);
  const file = path.join(folder, localFactsName);
  await mkdir(path.dirname(file));
  await writeFile(file, facts);
  return folder;
}

test("reports that no TLS files are set for the named registry, even if demo.json is unusable", async () => {
  const folder = await checkoutWith("{");
  const settings = { plaintext: false, certDomain: "certificate-registry.internal" };
  expect(() => chooseSecurity(settings, "registry.example:9090", folder)).toThrow(
    /^No TLS files are set for the registry at registry\.example:9090\./,
  );
});

const address = "registry.example:9090";
const certDomain = "certificate-registry.internal";
const files = { certFile: "/nowhere/cert.pem", keyFile: "/nowhere/key.pem", caFile: "/nowhere/ca.pem" };
const problems = (cert: string, key: string, ca: string) =>
  [`${cert}: ${files.certFile}`, `${key}: ${files.keyFile}`, `${ca}: ${files.caFile}`]
    .map((file) => `${file} cannot be read (ENOENT)`)
    .join("; ");

test("reports unusable files from the command line as an invalid command line, naming the options", () => {
  const choose = () => chooseSecurity({ plaintext: false, certDomain, ...files }, address);
  expect(choose).toThrow(UsageError);
  expect(choose).toThrow(problems("--cert-file", "--key-file", "--ca-file"));
});

test("reports unusable files of a context as an invalid value, naming the context's fields", () => {
  const choose = (settings: Partial<typeof files>) => () =>
    chooseSecurity({ plaintext: false, certDomain, context: "staging", ...settings }, address);
  const nameOf = (field: string) => `${field} of the context staging`;
  expect(choose(files)).toThrow(UsageError);
  expect(choose(files)).toThrow(problems(nameOf("certFile"), nameOf("keyFile"), nameOf("caFile")));
  expect(choose({ certFile: "/a" })).toThrow(
    new UsageError(`Set ${nameOf("certFile")}, ${nameOf("keyFile")} and ${nameOf("caFile")} together.`),
  );
});

test("reports a certificate without the operator's name as an invalid value", async () => {
  const authority = await CertificateAuthority.create();
  const { certPem, keyPem } = await authority.issue({
    commonName: "x",
    alternativeNames: [{ type: "dns", value: "x" }],
  });
  const folder = await openTemporaryFolder("choose-security", onTestFinished);
  const write = async (name: string, text: string) => {
    await writeFile(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const certFile = await write("cert.pem", certPem);
  const [keyFile, caFile] = [await write("key.pem", keyPem), await write("ca.pem", authority.caPem)];
  expect(() => chooseSecurity({ plaintext: false, certDomain, certFile, keyFile, caFile }, address)).toThrow(
    new UsageError(`--cert-file: ${certFile} does not contain the name operator.${certDomain} in subjectAltName`),
  );
});

test("reports unusable files of npm start as a failure, naming the file that lists them", async () => {
  const operator = { cert_file: files.certFile, key_file: files.keyFile, ca_file: files.caFile };
  const folder = await checkoutWith(JSON.stringify({ registry_address: address, operator_tls: operator }));
  const choose = () => chooseSecurity({ plaintext: false, certDomain }, address, folder);
  expect(choose).toThrow(ConfigError);
  expect(choose).toThrow(problems(...nameAll((field) => `${field} in .data/demo.json`)));
});

function nameAll(nameOf: (field: string) => string): [string, string, string] {
  return [nameOf("cert_file"), nameOf("key_file"), nameOf("ca_file")];
}
