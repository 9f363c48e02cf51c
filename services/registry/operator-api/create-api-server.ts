import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { ConfigError } from "#shared/config/config-error.ts";
import { openTlsFiles, type TlsFilesDeps } from "#shared/tls/tls-files.ts";

interface ApiServerDeps extends Pick<TlsFilesDeps, "clock" | "logger" | "onChecked"> {
  readonly apiCertFile?: string | undefined;
  readonly apiKeyFile?: string | undefined;
}

/**
 * Creates the server without starting it. It serves HTTPS with the certificate and the key in the files, which it
 * reloads when they change. If no files are configured, it serves HTTP, after a warning in the log.
 *
 * @returns the server, and a function that stops reading the files
 * @throws ConfigError if only one of the files is configured, or if a file is unusable; the message names the variable
 */
export function createApiServer(listener: RequestListener, deps: ApiServerDeps) {
  const { apiCertFile, apiKeyFile, ...rest } = deps;
  if (apiCertFile === undefined && apiKeyFile === undefined) {
    deps.logger.warn(
      "the operator API is not encrypted, because REGISTRY_API_CERT_FILE and REGISTRY_API_KEY_FILE are not set",
    );
    return { server: createServer(listener), stopReading: async () => undefined };
  }
  if (apiCertFile === undefined || apiKeyFile === undefined)
    throw new ConfigError("REGISTRY_API_CERT_FILE and REGISTRY_API_KEY_FILE must be set together");
  const cert = { variable: "REGISTRY_API_CERT_FILE", file: apiCertFile };
  const key = { variable: "REGISTRY_API_KEY_FILE", file: apiKeyFile };
  const files = openTlsFiles({ ...rest, files: { cert, key } });
  const contextOf = ({ certPem, keyPem } = files.value) => ({ cert: certPem, key: keyPem });
  const server = createTlsServer(contextOf(), listener);
  files.onChange((identity) => server.setSecureContext(contextOf(identity)));
  files.start();
  return { server, stopReading: () => files.stop() };
}
