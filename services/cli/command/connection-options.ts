import { type Command, Option } from "commander";
import { grpcVariables } from "#shared/rpc/grpc-variables.ts";
import { chooseContext } from "../contexts/choose-context.ts";
import { contextFilePath, readContextFile } from "../contexts/context-file.ts";
import { type ChosenRegistry, chooseRegistry, defaultRegistry } from "../registry-client/choose-registry.ts";
import { chooseSecurity, type SecuritySettings } from "../registry-client/choose-security.ts";
import { createOperatorClient, type OperatorClient } from "../registry-client/operator-client.ts";
import { givenPath } from "./given-path.ts";
import { parseAddress } from "./option-values.ts";

/** The options that every command accepts to reach the registry and select a store. */
export interface ConnectionOptions {
  /** Name of a context; absent or empty: the current context, if any. */
  readonly context?: string;
  /** Domain or id; absent or empty: see {@link targetOf}. */
  readonly store?: string;
  /** The registry's gRPC address, `host:port`; absent or empty: see {@link chooseRegistry}. */
  readonly registry?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
  readonly certDomain: string;
  readonly plaintext?: boolean;
}

const contextHelp =
  "context whose settings apply unless options or environment variables override them; default: the current context";
const storeHelp =
  "store to act on; default: the context's store, unless --registry or CERTCTL_REGISTRY is set; optional if the " +
  "registry has only one store";
const registryHelp =
  "gRPC address of the registry; default: the context's address; otherwise the address that npm start wrote to " +
  `.data/demo.json in this checkout; otherwise ${defaultRegistry}`;
const certHelp =
  "PEM file with the client certificate; default: the context's file; otherwise, for a registry that npm start " +
  "started, the certificate that npm start created";
const plaintextHelp = "connect without TLS and without a certificate (env: CERTCTL_PLAINTEXT=true)";
const certDomain = grpcVariables.grpcCertDomain.parse(undefined);

/**
 * Adds the options with which every command reaches the registry. Each of them can also be set by an environment
 * variable.
 */
export function withConnectionOptions(program: Command): Command {
  return program
    .addOption(new Option("--context <context>", contextHelp).env("CERTCTL_CONTEXT"))
    .addOption(new Option("--store <domain or id>", storeHelp).env("CERTCTL_STORE"))
    .addOption(new Option("--registry <host:port>", registryHelp).env("CERTCTL_REGISTRY").argParser(parseAddress))
    .addOption(new Option("--cert-file <file>", certHelp).env("CERTCTL_CERT_FILE"))
    .addOption(
      new Option("--key-file <file>", "PEM file with the client certificate's private key").env("CERTCTL_KEY_FILE"),
    )
    .addOption(
      new Option("--ca-file <file>", "PEM file with the CA certificates that verify the registry's certificate").env(
        "CERTCTL_CA_FILE",
      ),
    )
    .addOption(
      new Option("--cert-domain <domain>", "parent domain of the names in gRPC certificates")
        .env("CERTCTL_CERT_DOMAIN")
        .default(certDomain),
    )
    .option("--plaintext", plaintextHelp);
}

/** The registry that a command calls, the security of the connection, and the store to act on. */
export interface Target {
  readonly registry: ChosenRegistry;
  /** Domain or id; undefined selects the registry's only store. */
  readonly store: string | undefined;
  readonly security: SecuritySettings;
}

/**
 * Returns the target of a command. Each setting is taken from the option, the environment variable or the context, in
 * this order; some have a default. The TLS files and the plaintext setting of a context apply together or not at all.
 * The store of a context applies only if neither an option nor a variable selects a registry.
 *
 * @throws Error with the remedy if no target can be chosen
 */
export function targetOf(command: Command): Target {
  const options = command.optsWithGlobals<ConnectionOptions>();
  const sourceOf = (name: string) => command.getOptionValueSourceWithGlobals(name);
  const context = chooseContext(readContextFile(contextFilePath()), options.context);
  const { registry, store } = options;
  // Options take precedence over variables, so that a variable does not make a command ignore the files that it names.
  const hasFileOptions = ["certFile", "keyFile", "caFile"].some((name) => sourceOf(name) === "cli");
  const plaintext = options.plaintext ?? (!hasFileOptions && process.env.CERTCTL_PLAINTEXT === "true");
  return {
    registry: chooseRegistry({ [sourceOf("registry") === "env" ? "variable" : "option"]: registry, context }),
    store: store || (registry ? undefined : context?.store),
    security: {
      ...(givenSecurity({ ...options, plaintext }) ?? {
        plaintext: context?.plaintext ?? false,
        context: context?.name,
        ...filesOf(context),
      }),
      certDomain: (sourceOf("certDomain") === "default" && context?.certDomain) || options.certDomain || certDomain,
    },
  };
}

/** @returns undefined unless options or variables name a TLS file or request plaintext */
function givenSecurity(given: GivenSecurity): GivenSecurity | undefined {
  const { plaintext, certFile, keyFile, caFile } = given;
  return plaintext || certFile || keyFile || caFile ? { plaintext, ...filesOf(given) } : undefined;
}

type Files = Pick<SecuritySettings, "certFile" | "keyFile" | "caFile">;
type GivenSecurity = Files & Pick<SecuritySettings, "plaintext">;

function filesOf(settings: Files | undefined): Files {
  const fileOf = (file: string | undefined) => file && givenPath(file);
  return { certFile: fileOf(settings?.certFile), keyFile: fileOf(settings?.keyFile), caFile: fileOf(settings?.caFile) };
}

/** Creates a client for the target's registry. @throws Error with the remedy if the TLS files cannot be used */
export function connectTo({ registry: { address }, security }: Target): OperatorClient {
  return createOperatorClient(address, chooseSecurity(security, address));
}
