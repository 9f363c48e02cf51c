import { isIP } from "node:net";
import { type Authenticator, credsAuthenticator, nkeyAuthenticator, type TlsOptions } from "nats";
import { checkEach } from "../config/check-together.ts";
import { ConfigError } from "../config/config-error.ts";
import { readNamedFile } from "../config/named-file.ts";
import { readAuthorities } from "../tls/read-authorities.ts";
import { isKeyOf } from "../tls/tls-identity.ts";
import type { NatsSettings } from "./nats-variables.ts";
import { credentialsOf, splitCredentials } from "./server-credentials.ts";

/** NATS servers and how to log in to them. */
export interface NatsAccess {
  /**
   * `nats://host:port` or `tls://host:port`, at least one. A user and password, or a token, may precede the host; those
   * of the first server that has any apply to all servers.
   */
  readonly servers: readonly string[];
  /** Default: the user and password, or the token, in `servers`. */
  readonly authenticator?: Authenticator | undefined;
  /** If set, connections to servers without TLS are rejected. Default: TLS only if the server requires it. */
  readonly tls?: TlsOptions | undefined;
}

/**
 * Returns the servers, the login and the TLS options for connecting to NATS. The files are only validated here: they
 * are read again for each connection, so that they can be replaced while the service runs. With a client certificate, a
 * CA file or a `tls://` address, connections to servers without TLS are rejected.
 *
 * @param prefix the start of the variables' names, such as `REGISTRY`
 * @throws ConfigError naming the variables that are invalid, contradict each other or name an unusable file
 */
export function natsAccess(prefix: string, settings: NatsSettings): NatsAccess {
  const { natsServers, natsCredentialsFile, natsNkeyFile } = settings;
  const logins = [
    natsServers.some((server) => server.includes("@")) && `the user or token in ${prefix}_NATS_SERVERS`,
    natsCredentialsFile !== undefined && `${prefix}_NATS_CREDENTIALS_FILE`,
    natsNkeyFile !== undefined && `${prefix}_NATS_NKEY_FILE`,
  ].filter((login) => login !== false);
  let authenticator: Authenticator | undefined;
  let tls: TlsOptions | undefined;
  const checks = [
    () => {
      if (!natsServers.every(hasValidEscapes))
        throw new ConfigError(
          `${prefix}_NATS_SERVERS contains an invalid percent escape in a user, password or token; write "%" as "%25"`,
        );
    },
    () => {
      if (logins.length > 1) throw new ConfigError(`Set only one of these NATS logins: ${logins.join("; ")}`);
    },
    () => {
      tls = tlsOptions(prefix, settings);
      // The client library would compare the certificate with "localhost" instead of the address.
      if (tls !== undefined && natsServers.some(hasAddress))
        throw new ConfigError(`${prefix}_NATS_SERVERS must contain host names, not IP addresses, if TLS is required`);
    },
    () => {
      authenticator = credentialsLogin(`${prefix}_NATS_CREDENTIALS_FILE`, natsCredentialsFile);
    },
    () => {
      authenticator ??= nkeyLogin(`${prefix}_NATS_NKEY_FILE`, natsNkeyFile);
    },
  ];
  checkEach(checks, (check) => check());
  return { servers: natsServers, authenticator, tls };
}

function hasValidEscapes(server: string): boolean {
  try {
    credentialsOf(splitCredentials(server).credentials);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a server's address is an IP address rather than a host name. */
function hasAddress(server: string): boolean {
  const [, host = ""] = /^(?:\w+:\/\/)?(?:.*@)?(\[.*\]|[^:]*)/s.exec(server) ?? [];
  return isIP(host.replace(/^\[|\]$/g, "")) !== 0;
}

function credentialsLogin(variable: string, file: string | undefined): Authenticator | undefined {
  if (file === undefined) return undefined;
  const login = credsAuthenticator(() => Buffer.from(readNamedFile({ variable, file })));
  return checked(login, `${variable}: ${file} is not a NATS credentials file`);
}

function nkeyLogin(variable: string, file: string | undefined): Authenticator | undefined {
  if (file === undefined) return undefined;
  const login = nkeyAuthenticator(() => Buffer.from(seedIn(readNamedFile({ variable, file }))));
  return checked(login, `${variable}: ${file} does not contain the NKey seed of a user`);
}

/** Returns the line with a user's seed, trimmed, or the empty string; other lines are comments. */
function seedIn(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.find((line) => line.startsWith("SU")) ?? "";
}

/** Tests a login by signing an arbitrary nonce. @throws ConfigError, with `problem` unless the file is unreadable */
function checked(login: Authenticator, problem: string): Authenticator {
  try {
    login("nonce");
  } catch (cause) {
    // The cause may quote the file's content.
    throw cause instanceof ConfigError ? cause : new ConfigError(problem);
  }
  return login;
}

function tlsOptions(prefix: string, settings: NatsSettings): TlsOptions | undefined {
  const { natsServers, natsCertFile: certFile, natsKeyFile: keyFile, natsCaFile: caFile } = settings;
  const checks = [
    () => {
      if (caFile !== undefined) readAuthorities(`${prefix}_NATS_CA_FILE`, caFile);
    },
    () => {
      if ((certFile === undefined) !== (keyFile === undefined))
        throw new ConfigError(`${prefix}_NATS_CERT_FILE and ${prefix}_NATS_KEY_FILE must be set together`);
      if (certFile !== undefined && keyFile !== undefined) checkCertificate(prefix, certFile, keyFile);
    },
  ];
  checkEach(checks, (check) => check());
  if (certFile === undefined && caFile === undefined)
    return natsServers.some((server) => server.startsWith("tls://")) ? {} : undefined;
  return { ...(certFile && { certFile }), ...(keyFile && { keyFile }), ...(caFile && { caFile }) };
}

function checkCertificate(prefix: string, certFile: string, keyFile: string): void {
  const named = [
    ["CERT", certFile],
    ["KEY", keyFile],
  ] as const;
  const [cert = "", key = ""] = checkEach(named, ([kind, file]) =>
    readNamedFile({ variable: `${prefix}_NATS_${kind}_FILE`, file }),
  );
  if (isKeyOf(cert, key)) return;
  const files = `${prefix}_NATS_CERT_FILE ${certFile} and ${prefix}_NATS_KEY_FILE ${keyFile}`;
  throw new ConfigError(`${files} are not a PEM certificate and its private key`);
}
