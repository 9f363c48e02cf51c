import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { makeServerCertificate } from "../certificates/self-signed.ts";
import { type GrpcCertificates, issueGrpcCertificates, writeSecret } from "./grpc-certificates.ts";
import type { ReceiverFiles, ServiceSecrets } from "./service-specs.ts";

/** The files with the secrets of the local demo, which are generated at run time and never part of the project. */
export interface LocalSecrets extends ServiceSecrets {
  /** Issued again at each start. */
  readonly grpc: GrpcCertificates;
  /** Files of the demo receiver; `secret` contains the store's webhook signing secret. */
  readonly receiver: Omit<ReceiverFiles, "log">;
}

/**
 * Generates the keys and certificates that a folder lacks, and new gRPC certificates. `setDemoWebhook` writes the
 * webhook signing secret.
 */
export async function ensureSecrets(folder: string): Promise<LocalSecrets> {
  const secrets: LocalSecrets = {
    cursorKeyFile: path.join(folder, "cursor.key"),
    secretKeyFile: path.join(folder, "secret.key"),
    platformSecretFile: path.join(folder, "platform-secret"),
    caFile: path.join(folder, "receiver-ca.pem"),
    grpc: await issueGrpcCertificates(folder),
    receiver: {
      cert: path.join(folder, "receiver-cert.pem"),
      key: path.join(folder, "receiver-key.pem"),
      secret: path.join(folder, "signing-secret"),
    },
  };
  for (const file of [secrets.cursorKeyFile, secrets.secretKeyFile])
    if (!existsSync(file)) await writeSecret(file, randomBytes(32));
  if (!existsSync(secrets.platformSecretFile))
    await writeSecret(secrets.platformSecretFile, randomBytes(32).toString("hex"));
  if (![secrets.caFile, secrets.receiver.cert, secrets.receiver.key].every((file) => existsSync(file))) {
    const made = await makeServerCertificate();
    await writeSecret(secrets.caFile, made.caPem);
    await writeSecret(secrets.receiver.cert, made.certPem);
    await writeSecret(secrets.receiver.key, made.keyPem);
  }
  return secrets;
}
