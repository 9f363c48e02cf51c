import { ConfigError } from "#shared/config/config-error.ts";
import type { NamedFile } from "#shared/config/named-file.ts";
import { type ChannelSecurity, plaintext, readChannelSecurity } from "#shared/rpc/grpc-tls.ts";
import { peerName } from "#shared/rpc/peer-names.ts";
import { UsageError } from "../output/usage-error.ts";
import { localFactsName, projectFolder, readLocalFacts } from "./local-facts.ts";

/** The settings that secure the connection to the registry. Empty and undefined file names are ignored. */
export interface SecuritySettings {
  /** Whether to connect without TLS. */
  readonly plaintext: boolean;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly caFile?: string | undefined;
  /** Name of the context from which the files were taken. Absent: they were taken from options or variables. */
  readonly context?: string | undefined;
  /** The `<domain>` of the names in gRPC certificates, such as `operator.<domain>`. */
  readonly certDomain: string;
}

/**
 * Returns the security of a connection: none for plaintext, otherwise TLS with the files of {@link chooseFiles}.
 *
 * @param folder the checkout; default: the one that contains certctl
 * @throws UsageError if a file that the settings name is missing or cannot be used; ConfigError if a file that
 * `npm start` wrote cannot be used
 */
export function chooseSecurity(settings: SecuritySettings, address: string, folder = projectFolder): ChannelSecurity {
  const files = chooseFiles(settings, address, folder);
  const { certDomain } = settings;
  if (files === undefined) return plaintext;
  try {
    return readChannelSecurity(files, peerName("operator", certDomain), certDomain);
  } catch (error) {
    const isSetByUser = filesOf(settings) !== undefined;
    throw error instanceof ConfigError && isSetByUser ? new UsageError(error.message, { cause: error }) : error;
  }
}

/**
 * Returns the TLS files that the settings name. If they name none, and the registry is that of the last `npm start` of
 * this checkout, returns the files of that `npm start`.
 *
 * @returns undefined if plaintext was requested
 * @throws Error with the remedy if the settings name only some of the files, or no files are known
 */
export function chooseFiles(settings: SecuritySettings, address: string, folder = projectFolder): Files | undefined {
  if (settings.plaintext) return undefined;
  return filesOf(settings) ?? localFiles(address, folder);
}

/** TLS files. The `variable` of each is the setting that names it, for error messages. */
interface Files {
  readonly cert: NamedFile;
  readonly key: NamedFile;
  readonly ca: NamedFile;
}

function filesOf({ certFile, keyFile, caFile, context }: SecuritySettings): Files | undefined {
  if (!certFile && !keyFile && !caFile) return undefined;
  const nameOf = (option: string, field: string) =>
    context === undefined ? option : `${field} of the context ${context}`;
  const [cert, key, ca] = [
    nameOf("--cert-file", "certFile"),
    nameOf("--key-file", "keyFile"),
    nameOf("--ca-file", "caFile"),
  ];
  if (!certFile || !keyFile || !caFile) throw new UsageError(`Set ${cert}, ${key} and ${ca} together.`);
  return {
    cert: { variable: cert, file: certFile },
    key: { variable: key, file: keyFile },
    ca: { variable: ca, file: caFile },
  };
}

function localFiles(address: string, folder: string): Files {
  const local = usableFacts(folder);
  if (local?.registry_address !== address || local.operator_tls === undefined)
    throw new UsageError(
      `No TLS files are set for the registry at ${address}. Specify them with --cert-file, --key-file and ` +
        "--ca-file, or use --plaintext for a registry that runs with REGISTRY_GRPC_TLS=off.",
    );
  const { cert_file: cert, key_file: key, ca_file: ca } = local.operator_tls;
  const named = (field: string, file: string) => ({ variable: `${field} in ${localFactsName}`, file });
  return { cert: named("cert_file", cert), key: named("key_file", key), ca: named("ca_file", ca) };
}

/** @returns undefined if `demo.json` is missing or cannot be used; then the settings must name the TLS files */
function usableFacts(folder: string) {
  try {
    return readLocalFacts(folder);
  } catch {
    return undefined;
  }
}
