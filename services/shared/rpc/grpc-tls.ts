import { X509Certificate } from "node:crypto";
import {
  type ChannelCredentials,
  type ChannelOptions,
  credentials,
  experimental,
  type ServerCredentials,
} from "@grpc/grpc-js";
import { throwTogether } from "../config/check-together.ts";
import { ConfigError } from "../config/config-error.ts";
import { type NamedFile, readNamedFile } from "../config/named-file.ts";
import type { Logger } from "../observe/logger.ts";
import type { Clock } from "../time/clock.ts";
import { hasName } from "../tls/certificate-name.ts";
import { openTlsFiles, type TlsFiles, type TlsFilesDeps } from "../tls/tls-files.ts";
import { parseTlsIdentity, readTlsTexts, type TlsIdentityFiles } from "../tls/tls-identity.ts";
import { CertificateSource } from "./certificate-source.ts";
import type { GrpcSettings } from "./grpc-variables.ts";
import { type Peer, peerName } from "./peer-names.ts";

/** The credentials and the options that secure a channel. */
export interface ChannelSecurity {
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
}

/** No encryption and no authorization. */
export const plaintext: ChannelSecurity = { credentials: credentials.createInsecure(), options: {} };

interface GrpcTlsOptions extends Pick<TlsFilesDeps, "onChecked"> {
  /** Prefix of the environment variables, such as `REGISTRY`. */
  readonly prefix: string;
  /** The peer that the certificate must identify. */
  readonly self: Peer;
  /** The wall clock. */
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Mutual TLS with files that are read periodically: new connections use the last valid version of the files. */
interface GrpcTls {
  /** For a server: callers without a certificate from a trusted authority get no connection. */
  readonly server: ServerCredentials;
  /** For a client: connects only to a server whose certificate identifies the registry. */
  readonly channel: ChannelSecurity;
  /** Stops reading the files. */
  close(): Promise<void>;
}

/**
 * Opens the TLS files of a service, and starts to read them periodically.
 *
 * @returns undefined, after a warning in the log, if TLS is off
 * @throws ConfigError naming each missing variable, or the file that is unusable
 */
export function openGrpcTls(settings: GrpcSettings, options: GrpcTlsOptions): GrpcTls | undefined {
  const { prefix, self, ...deps } = options;
  if (settings.grpcTls === "off") {
    deps.logger.warn(`gRPC calls are neither encrypted nor authorized, because ${prefix}_GRPC_TLS is off`);
    return undefined;
  }
  const files = openTlsFiles({
    ...deps,
    files: grpcFiles(prefix, settings),
    name: peerName(self, settings.grpcCertDomain),
  });
  files.start();
  return { ...grpcTlsOf(files, settings.grpcCertDomain), close: () => files.stop() };
}

/**
 * Returns the credentials and options for a client's channels. Reads the files only once.
 *
 * @param name a DNS name that the client's certificate must contain; undefined to accept any name
 * @throws ConfigError naming the file that is unreadable or invalid, or that does not match the others
 */
export function readChannelSecurity(
  files: TlsIdentityFiles,
  name: string | undefined,
  domain: string,
): ChannelSecurity {
  const value = parseTlsIdentity(files, readTlsTexts(files), name);
  return grpcTlsOf({ value, onChange: () => () => undefined }, domain).channel;
}

/** Returns credentials for servers and clients. They always use the current identity of the files. */
function grpcTlsOf(files: Pick<TlsFiles, "value" | "onChange">, domain: string): Omit<GrpcTls, "close"> {
  const source = new CertificateSource(files);
  const registryName = peerName("registry", domain);
  const verify = {
    checkServerIdentity: (_host: string, { raw }: { readonly raw: Buffer }) =>
      hasName(new X509Certificate(raw), registryName)
        ? undefined
        : new Error(`the server's certificate is not for ${registryName}`),
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    rejectUnauthorized: true,
  };
  return {
    server: experimental.createCertificateProviderServerCredentials(source, source, true),
    channel: {
      credentials: experimental.createCertificateProviderChannelCredentials(source, source, verify),
      // The server's name does not depend on the address, which may be that of a pod.
      options: { "grpc.ssl_target_name_override": registryName },
    },
  };
}

function grpcFiles(prefix: string, { grpcCertFile, grpcKeyFile, grpcCaFile }: GrpcSettings) {
  const named = { cert: grpcCertFile, key: grpcKeyFile, ca: grpcCaFile };
  const variableOf = (kind: string) => `${prefix}_GRPC_${kind.toUpperCase()}_FILE`;
  const missing = Object.entries(named).flatMap(([kind, file]) => (file === undefined ? [variableOf(kind)] : []));
  const fileOf = (kind: keyof typeof named): NamedFile => ({ variable: variableOf(kind), file: named[kind] ?? "" });
  const files = { cert: fileOf("cert"), key: fileOf("key"), ca: fileOf("ca") };
  if (missing.length === 0) return files;
  const fault = new ConfigError(
    `gRPC needs TLS files. Set ${missing.join(", ")}; to run without TLS, set ${prefix}_GRPC_TLS=off instead`,
  );
  const given = Object.values(files).filter(({ file }) => file !== "");
  throwTogether(
    fault,
    given.map((file) => () => readNamedFile(file)),
  );
}
