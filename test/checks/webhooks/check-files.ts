import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { makeServerCertificate } from "../../../deploy/local/receiver/self-signed.ts";
import type { CheckProcesses } from "../runner/processes.ts";

/** The files by which the processes of a check know each other. */
export interface CheckFiles {
  /** The authority that vouches for the receiver; PEM. */
  readonly ca: string;
  /** The receiver's certificate; PEM. */
  readonly cert: string;
  /** Its key; PEM. */
  readonly key: string;
  /** Encrypts the secrets that the registries store. */
  readonly secretKey: string;
  /** What the receiver gets is appended here. */
  readonly record: string;
  /** Where stores' messages go, for notifiers that do not ask the registry; not there yet. */
  readonly targets: string;
  /** Where notifiers that end themselves write it down; not there yet. */
  readonly killBook: string;
}

/** Makes a certificate for the receiver, and the files. */
export async function makeCheckFiles(processes: CheckProcesses): Promise<CheckFiles> {
  const files = {
    ca: processes.path("ca.pem"),
    cert: processes.path("cert.pem"),
    key: processes.path("key.pem"),
    secretKey: processes.path("secret.key"),
    record: processes.path("received.jsonl"),
    targets: processes.path("targets.json"),
    killBook: processes.path("kills"),
  };
  const { caPem, certPem, keyPem } = await makeServerCertificate();
  await writeFile(files.ca, caPem);
  await writeFile(files.cert, certPem);
  await writeFile(files.key, keyPem);
  await writeFile(files.secretKey, randomBytes(32));
  await writeFile(files.record, "");
  return files;
}
