import { Gauge, type Registry } from "prom-client";
import type { TlsFilesDeps } from "./tls-files.ts";

/**
 * Registers the metrics of a service's TLS certificates.
 *
 * @returns a function that returns the `onChecked` callback for one use of TLS, such as `grpc`
 */
export function observeCertificates(metrics: Registry): (use: string) => Pick<TlsFilesDeps, "onChecked"> {
  const expiry = new Gauge({
    name: "tls_certificate_expiry_timestamp_seconds",
    help: "Time at which the service's certificate expires, in seconds since the epoch, by use: grpc or api",
    labelNames: ["use"],
    registers: [metrics],
  });
  const valid = new Gauge({
    name: "tls_files_valid",
    help: "1 if the TLS files were valid when they were last read, otherwise 0, by use: grpc or api",
    labelNames: ["use"],
    registers: [metrics],
  });
  return (use) => ({
    onChecked: ({ validTo }, areValid) => {
      expiry.set({ use }, validTo / 1_000);
      valid.set({ use }, areValid ? 1 : 0);
    },
  });
}
