import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { issueGrpcCertificates } from "../../deploy/local/stack/grpc-certificates.ts";
import { CertificateAuthority } from "../../services/shared/tls/certificate-authority.ts";
import { certctlVariables } from "../harness/certctl-variables.ts";
import { eventually } from "../harness/eventually.ts";
import { openTemporaryFolder } from "../harness/files/temporary-folder.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctlWith } from "../harness/run-certctl.ts";
import { partOf, startStack } from "../harness/stack/start-stack.ts";

const folder = await openTemporaryFolder("certctl-doctor", afterAll);
const fileOf = (name: string) => path.join(folder, name);

interface Finding {
  readonly part: string;
  readonly condition: string;
  readonly state: string;
  readonly seen: string;
  readonly remedy: string | null;
}

/** Runs the doctor with `--json`. @returns its exit code and findings */
async function examine(variables: Readonly<Record<string, string>>, ...args: string[]) {
  const { code, out, error } = await runCertctlWith(variables, "doctor", "--json", ...args);
  const findings = out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Finding]));
  return { code, findings, faults: findings.filter(({ state }) => state === "fault"), error };
}

test("finds no fault in a running system, and lists each condition that it has checked", async () => {
  // The stack starts its own database server, whose transaction lifetime limit passes the check.
  const stack = await startStack({ name: "certctl-doctor", registries: [{}], notifiers: [{}] });
  onTestFinished(() => stack.close());
  const { address } = partOf(stack.registries);
  const variables = { ...certctlVariables(stack.secrets.grpc?.operator), CERTCTL_REGISTRY: address };
  const { code, findings, faults } = await eventually(async () => {
    const run = await examine(variables);
    expect(run.faults).toEqual([]);
    return run;
  });
  expect({ code, faults }).toEqual({ code: 0, faults: [] });
  const parts = Map.groupBy(findings, ({ part }) => part);
  expect([...parts].map(([part, of]) => [part, of.length])).toEqual([
    ["certctl", 6],
    ["database", 5],
    ["NATS", 3],
    ["registry", 2],
  ]);
  const text = await eventually(async () => {
    const run = await runCertctlWith(variables, "doctor");
    expect(run).toMatchObject({ code: 0, error: "" });
    return run;
  });
  expect(text.out).toContain("ok      NATS: the stream has its 16 consumers: 16 consumers\n");
});

test("reports a missing connection to NATS and an expired certificate, each with a remedy", async () => {
  const authority = await CertificateAuthority.create(1);
  const files = await issueGrpcCertificates(folder, authority);
  const expired = await authority.issue({
    commonName: "operator.certificate-registry.internal",
    alternativeNames: [{ type: "dns", value: "operator.certificate-registry.internal" }],
    usages: ["client"],
    days: -1,
  });
  await writeFile(fileOf("expired.pem"), expired.certPem);
  await writeFile(fileOf("expired-key.pem"), expired.keyPem);
  const registry = await openTestRegistry({ grpc: files });
  const { cert, key, ca } = files.operator;
  const connection = ["--registry", registry.address, "--ca-file", ca];
  const variables = { CERTCTL_PLAINTEXT: "" };

  const found = await examine(variables, ...connection, "--cert-file", cert, "--key-file", key);
  expect(found.code).toBe(1);
  // The transaction lifetime limit of the tests' database server may count as a further fault, which this test ignores.
  const ofNats = found.findings.filter(({ part }) => part === "NATS");
  expect(ofNats.map(({ state, seen }) => [state, seen])).toEqual(
    ["fault", "skipped", "skipped"].map((state) => [state, "not connected"]),
  );
  expect(ofNats.map(({ remedy }) => remedy)).toEqual([expect.stringContaining("REGISTRY_NATS_SERVERS"), null, null]);
  expect(found.error).toMatch(/1 fault was found|2 faults were found/);

  const refused = await examine(
    variables,
    ...[...connection, "--cert-file", fileOf("expired.pem"), "--key-file", fileOf("expired-key.pem")],
  );
  expect(refused.faults[0]).toMatchObject({
    seen: expect.stringMatching(/^expired at /),
    remedy: "Renew the certificate.",
  });
  expect(refused.code).toBe(5);
});

test("exits with 5 if the registry cannot be reached, and with 1 if certctl's own configuration is at fault", async () => {
  const away = await examine(certctlVariables(undefined), "--registry", "127.0.0.1:1");
  expect(away).toMatchObject({
    code: 5,
    faults: [{ condition: "the registry can be reached", seen: expect.stringContaining("ECONNREFUSED") }],
  });
  await writeFile(fileOf("contexts.json"), "{");
  const corrupt = await examine({ CERTCTL_CONFIG: fileOf("contexts.json") }, "--registry", "127.0.0.1:1");
  expect(corrupt).toMatchObject({
    code: 1,
    faults: [{ condition: "certctl is configured", seen: expect.stringContaining("Correct or delete the file") }],
  });
  const missing = await examine({ CERTCTL_PLAINTEXT: "", CERTCTL_CERT_FILE: fileOf("none.pem") });
  expect(missing).toMatchObject({ code: 1, faults: [{ condition: "certctl has a valid operator certificate" }] });
});
