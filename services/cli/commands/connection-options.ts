import { type Command, Option } from "commander";
import { grpcVariables } from "#shared/rpc/grpc-variables.ts";
import { type ChosenRegistry, chooseRegistry, defaultRegistry } from "../registry-client/choose-registry.ts";
import { chooseSecurity } from "../registry-client/choose-security.ts";
import { createRegistryClient, type RegistryClient } from "../registry-client/registry-client.ts";
import { givenPath } from "./given-path.ts";

/** The options that every command accepts to reach the registry. */
interface ConnectionOptions {
  /** The registry's gRPC address, `host:port`; absent or empty: see {@link chooseRegistry}. */
  readonly registry?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
  readonly certDomain: string;
  readonly plaintext?: boolean;
}

const registryHelp =
  "gRPC address of the registry; default: the address that npm start wrote to .data/demo.json of this checkout, " +
  `otherwise ${defaultRegistry}`;
const certHelp = "PEM file of the client certificate; default: the certificate that npm start made, for its registry";
const plaintextHelp = "connect without TLS and without a certificate (env: CERTCTL_PLAINTEXT=true)";
const certDomain = grpcVariables.grpcCertDomain.parse(undefined);

/** Adds the options with which every command reaches the registry; most of them can also be set by a variable. */
export function withConnectionOptions(program: Command): Command {
  return program
    .addOption(new Option("--registry <host:port>", registryHelp).env("CERTCTL_REGISTRY"))
    .addOption(new Option("--cert-file <file>", certHelp).env("CERTCTL_CERT_FILE"))
    .addOption(new Option("--key-file <file>", "PEM file of the certificate's private key").env("CERTCTL_KEY_FILE"))
    .addOption(
      new Option("--ca-file <file>", "PEM file of the authorities that the registry's certificate comes from").env(
        "CERTCTL_CA_FILE",
      ),
    )
    .addOption(
      new Option("--cert-domain <domain>", "domain of the names in certificates")
        .env("CERTCTL_CERT_DOMAIN")
        .default(certDomain),
    )
    .option("--plaintext", plaintextHelp);
}

/** Returns the registry that a command calls. @throws Error with the remedy if it cannot be chosen */
export function registryOf(command: Command): ChosenRegistry {
  const { registry } = command.optsWithGlobals<ConnectionOptions>();
  const isFromEnvironment = command.getOptionValueSourceWithGlobals("registry") === "env";
  return chooseRegistry({ [isFromEnvironment ? "variable" : "option"]: registry });
}

/** Creates a client of a registry, with the TLS files of a command. @throws Error with the remedy for unusable files */
export function connectTo({ address }: ChosenRegistry, command: Command): RegistryClient {
  const options = command.optsWithGlobals<ConnectionOptions>();
  const fileOf = (file: string | undefined) => file && givenPath(file);
  const security = chooseSecurity(
    {
      plaintext: options.plaintext ?? process.env.CERTCTL_PLAINTEXT === "true",
      certFile: fileOf(options.certFile),
      keyFile: fileOf(options.keyFile),
      caFile: fileOf(options.caFile),
      certDomain: options.certDomain || certDomain,
    },
    address,
  );
  return createRegistryClient(address, security);
}
