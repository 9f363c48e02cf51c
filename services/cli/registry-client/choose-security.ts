import { type ChannelSecurity, plaintext, readChannelSecurity } from "#shared/rpc/grpc-tls.ts";
import { peerName } from "#shared/rpc/peer-names.ts";
import type { NamedFile } from "#shared/tls/named-file.ts";
import type { TlsIdentityFiles } from "#shared/tls/tls-identity.ts";
import { UsageError } from "../output/usage-error.ts";
import { projectFolder, readLocalFacts } from "./local-facts.ts";

/** The settings that secure the connection to the registry. Empty and undefined file names are ignored. */
export interface SecuritySettings {
  /** Whether to connect without TLS. */
  readonly plaintext: boolean;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly caFile?: string | undefined;
  /** The `<domain>` of the names in gRPC certificates, such as `operator.<domain>`. */
  readonly certDomain: string;
}

/**
 * Returns the security of a connection: none for plaintext, otherwise TLS with the files of {@link chooseFiles}.
 *
 * @param folder the checkout; default: the one that contains certctl
 * @throws Error with the remedy if a file is missing or cannot be used
 */
export function chooseSecurity(settings: SecuritySettings, address: string, folder = projectFolder): ChannelSecurity {
  const files = chooseFiles(settings, address, folder);
  const { certDomain } = settings;
  return files === undefined ? plaintext : readChannelSecurity(files, peerName("operator", certDomain), certDomain);
}

/**
 * Returns the TLS files that the settings name. If they name none, and the registry is that of the last `npm start` of
 * this checkout, returns the files of that `npm start`.
 *
 * @returns undefined if plaintext was requested
 * @throws Error with the remedy if the settings name only some of the files, or no files are known
 */
export function chooseFiles(
  settings: SecuritySettings,
  address: string,
  folder = projectFolder,
): (TlsIdentityFiles & { readonly ca: NamedFile }) | undefined {
  if (settings.plaintext) return undefined;
  const { certFile, keyFile, caFile } = filesOf(settings) ?? localFiles(address, folder);
  return {
    cert: { variable: "--cert-file", file: certFile },
    key: { variable: "--key-file", file: keyFile },
    ca: { variable: "--ca-file", file: caFile },
  };
}

interface Files {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

function filesOf({ certFile, keyFile, caFile }: SecuritySettings): Files | undefined {
  if (!certFile && !keyFile && !caFile) return undefined;
  if (certFile && keyFile && caFile) return { certFile, keyFile, caFile };
  throw new UsageError("Set --cert-file, --key-file and --ca-file together.");
}

function localFiles(address: string, folder: string): Files {
  const local = usableFacts(folder);
  if (local?.registry_address !== address || local.operator_tls === undefined)
    throw new UsageError(
      `No TLS files are set for the registry at ${address}. Specify them with --cert-file, --key-file and ` +
        "--ca-file, or use --plaintext for a registry that runs with REGISTRY_GRPC_TLS=off.",
    );
  const { cert_file: certFile, key_file: keyFile, ca_file: caFile } = local.operator_tls;
  return { certFile, keyFile, caFile };
}

/** @returns undefined if `demo.json` is missing or cannot be used; then the settings must name the TLS files */
function usableFacts(folder: string) {
  try {
    return readLocalFacts(folder);
  } catch {
    return undefined;
  }
}
