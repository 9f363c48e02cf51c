import { afterAll, expect, test } from "vitest";
import { issueGrpcCertificates, localCertDomain } from "../../deploy/local/stack/grpc-certificates.ts";
import { CertificateAuthority } from "../../services/shared/tls/certificate-authority.ts";
import { certctlVariables } from "../harness/certctl-variables.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { issueFiles } from "../harness/issue-files.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctlWith } from "../harness/run-certctl.ts";
import { createTestStore } from "../harness/test-stores.ts";

const folder = await openTemporaryFolder("certctl-tls", afterAll);
const authority = await CertificateAuthority.create();
const files = await issueGrpcCertificates(folder, authority);
const { operator } = files;
const registry = await openTestRegistry({ grpc: files });
const storeId = await createTestStore(registry);
const none = { ...certctlVariables(undefined), CERTCTL_PLAINTEXT: "" };
const list = (variables: Readonly<Record<string, string>>, ...options: string[]) =>
  runCertctlWith(variables, "--registry", registry.address, ...options, "store", "list");
const optionsFor = ({ cert, key, ca }: typeof operator) => ["--cert-file", cert, "--key-file", key, "--ca-file", ca];

test("certctl calls a registry over TLS with the files that options or environment variables specify", async () => {
  const listed = { code: 0, error: "", out: expect.stringContaining(storeId) };
  expect(await list(none, ...optionsFor(operator))).toEqual(listed);
  expect(await list(certctlVariables(operator))).toEqual(listed);
});

test.each<[string, readonly string[], string, number?]>([
  [
    "no files are named",
    [],
    `No TLS files are set for the registry at ${registry.address}. Specify them with --cert-file, --key-file and`,
  ],
  ["only one file is named", ["--cert-file", operator.cert], "Set --cert-file, --key-file and --ca-file together."],
  [
    "the certificate is another peer's",
    optionsFor(files.edge),
    `the name operator.${localCertDomain} in subjectAltName`,
  ],
  [
    "a file does not exist",
    optionsFor({ ...operator, ca: "/nowhere/ca.pem" }),
    "--ca-file: /nowhere/ca.pem cannot be read",
  ],
  ["the registry requires TLS", ["--plaintext"], "The registry cannot be reached", 5],
])("fails and states the reason if %s", async (_case, options, reason, expectedCode = 2) => {
  const { code, error } = await list(none, ...options);
  expect(code).toBe(expectedCode);
  expect(error).toContain(reason);
});

test("states the problem with the registry's certificate if the certificate's issuer is not trusted", async () => {
  const other = await issueFiles(folder, await CertificateAuthority.create(), [`operator.${localCertDomain}`]);
  const { code, error } = await list(none, ...optionsFor({ ...operator, ca: other.ca }));
  expect(code).toBe(5);
  expect(error).toMatch(/^certctl: The registry cannot be reached: [a-z -]+certificate[a-z ]* \(registry: .*\)\n$/);
});

test("operator create needs no TLS files, because the command works offline", async () => {
  expect((await runCertctlWith(none, "operator", "create", "ada", "--right", "inspect", "--for", "*")).code).toBe(0);
});
