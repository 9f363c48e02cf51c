import { type ServiceSpec, takesConnections } from "./service-process.ts";

/** File names of the demo receiver. */
export interface ReceiverFiles {
  readonly cert: string;
  readonly key: string;
  /** Contains the signing secret, or two separated by white space during a rotation. */
  readonly secret: string;
  readonly log: string;
}

/** Returns how to run the demo receiver on 127.0.0.1. */
export function receiverSpec(port: number, files: ReceiverFiles): ServiceSpec {
  return {
    name: "receiver",
    script: "deploy/local/receiver/main.ts",
    env: {
      RECEIVER_PORT: String(port),
      RECEIVER_CERT_FILE: files.cert,
      RECEIVER_KEY_FILE: files.key,
      RECEIVER_SECRET_FILE: files.secret,
      RECEIVER_LOG_FILE: files.log,
    },
    isReady: () => takesConnections(port),
  };
}
