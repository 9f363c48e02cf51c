import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { makeServerCertificate } from "../../../deploy/local/certificates/self-signed.ts";
import { openTemporaryFolder } from "../../../test/harness/files/temporary-folder.ts";
import { ConfigError } from "../config/config-error.ts";
import { natsAccess } from "./nats-access.ts";
import { createUserKey, seedOf } from "./nats-credentials-fixture.ts";
import type { NatsSettings } from "./nats-variables.ts";

const folder = await openTemporaryFolder("nats-access", afterAll);

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const seed = seedOf(createUserKey());
const { certPem, keyPem, caPem } = await makeServerCertificate();
const seedFile = await file("user.nk", `# the registry's user\n${seed}\n`);
const noSeedFile = await file("empty.nk", "# SU is missing\n");
const block = (kind: string, content: string) => `-----BEGIN ${kind}-----\n${content}\n------END ${kind}------\n\n`;
const credentials = (jwt: string) => block("NATS USER JWT", jwt) + block("USER NKEY SEED", seed);
const credentialsFile = await file("user.creds", credentials("e30.e30.x"));
const certFile = await file("cert.pem", certPem);
const keyFile = await file("key.pem", keyPem);
const otherKeyFile = await file("other-key.pem", (await makeServerCertificate()).keyPem);
const emptyFile = await file("empty.pem", "");
const caFile = await file("ca.pem", caPem);
const missing = join(folder, "missing");

const access = (settings: Partial<NatsSettings>) =>
  natsAccess("REGISTRY", { natsServers: ["nats://a:4222"], ...settings });

describe("natsAccess", () => {
  test("requires no setting other than the servers", () => {
    expect(access({})).toEqual({ servers: ["nats://a:4222"], authenticator: undefined, tls: undefined });
  });

  test("signs the server's nonce with the seed from an NKey file", () => {
    expect(access({ natsNkeyFile: seedFile }).authenticator?.("nonce")).toEqual({
      nkey: expect.stringMatching(/^U/),
      sig: expect.stringMatching(/./),
    });
  });

  test("logs in with the JWT from a credentials file", () => {
    expect(access({ natsCredentialsFile: credentialsFile }).authenticator?.("nonce")).toMatchObject({
      jwt: "e30.e30.x",
      sig: expect.stringMatching(/./),
    });
  });

  test("reads the credentials file again for each connection", async () => {
    const replaced = await file("replaced.creds", credentials("e30.e30.first"));
    const { authenticator } = access({ natsCredentialsFile: replaced });
    await writeFile(replaced, credentials("e30.e30.second"));
    expect(authenticator?.("nonce")).toMatchObject({ jwt: "e30.e30.second" });
  });

  test("rejects a percent escape that cannot be decoded, without revealing the password", () => {
    const invalid = () => access({ natsServers: ["nats://a:4222", "nats://registry:50%hunter2@b:4222"] });
    expect(invalid).toThrow(ConfigError);
    expect(invalid).toThrow(
      'REGISTRY_NATS_SERVERS contains an invalid percent escape in a user, password or token; write "%" as "%25"',
    );
    expect(invalid).toThrow(expect.not.stringContaining("hunter2"));
  });

  test.each([
    ["a client certificate", { natsCertFile: certFile, natsKeyFile: keyFile }, { certFile, keyFile }],
    ["a CA file", { natsCaFile: caFile }, { caFile }],
    ["a tls:// address", { natsServers: ["nats://a:4222", "tls://b:4222"] }, {}],
  ])("requires TLS if %s is configured", (_what, settings, tls) => {
    expect(access(settings).tls).toEqual(tls);
  });

  const invalid = `REGISTRY_NATS_CERT_FILE ${certFile} and REGISTRY_NATS_KEY_FILE ${otherKeyFile}`;
  test.each<[string, Partial<NatsSettings>, string]>([
    [
      "a missing credentials file",
      { natsCredentialsFile: missing },
      `REGISTRY_NATS_CREDENTIALS_FILE: ${missing} cannot be read (ENOENT)`,
    ],
    [
      "a file without credentials",
      { natsCredentialsFile: seedFile },
      `REGISTRY_NATS_CREDENTIALS_FILE: ${seedFile} is not a NATS credentials file`,
    ],
    ["a missing NKey file", { natsNkeyFile: missing }, `REGISTRY_NATS_NKEY_FILE: ${missing} cannot be read (ENOENT)`],
    [
      "a file without a seed",
      { natsNkeyFile: noSeedFile },
      `REGISTRY_NATS_NKEY_FILE: ${noSeedFile} does not contain the NKey seed of a user`,
    ],
    [
      "two logins",
      { natsServers: ["nats://user:pw@a:4222"], natsNkeyFile: seedFile },
      "Set only one of these NATS logins: the user or token in REGISTRY_NATS_SERVERS; REGISTRY_NATS_NKEY_FILE",
    ],
    ...["tls://10.0.0.1:4222", "nats://[::1]:4222", "127.0.0.1"].map(
      (server): [string, Partial<NatsSettings>, string] => [
        `TLS to ${server}`,
        { natsServers: ["nats://a:4222", server], natsCaFile: caFile },
        "REGISTRY_NATS_SERVERS must contain host names, not IP addresses, if TLS is required",
      ],
    ),
    [
      "a certificate without its key",
      { natsCertFile: certFile },
      "REGISTRY_NATS_CERT_FILE and REGISTRY_NATS_KEY_FILE must be set together",
    ],
    [
      "a certificate with the key of another certificate",
      { natsCertFile: certFile, natsKeyFile: otherKeyFile },
      `${invalid} are not a PEM certificate and its private key`,
    ],
    [
      "a certificate with an empty key",
      { natsCertFile: certFile, natsKeyFile: emptyFile },
      `REGISTRY_NATS_CERT_FILE ${certFile} and REGISTRY_NATS_KEY_FILE ${emptyFile} are not a PEM certificate and its private key`,
    ],
    [
      "a private key as the CA file",
      { natsCaFile: keyFile },
      `REGISTRY_NATS_CA_FILE: ${keyFile} contains PEM blocks that are not complete certificates: 1 of 1`,
    ],
  ])("refuses %s", (_what, settings, message) => {
    expect(() => access(settings)).toThrow(new ConfigError(message));
  });
});
