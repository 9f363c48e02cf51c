import { defineCommand } from "../../command/command.ts";
import type { ConnectionOptions } from "../../command/connection-options.ts";
import { givenPath } from "../../command/given-path.ts";
import { type Context, contextFilePath, readContextFile, writeContextFile } from "../../contexts/context-file.ts";
import { UsageError } from "../../output/usage-error.ts";

export const contextSet = defineCommand<ConnectionOptions>({
  name: "context set",
  changes: "nothing",
  isOffline: true,
  description:
    "create a context, or change the given settings of an existing context; the settings are --registry, " +
    "--cert-file, --key-file, --ca-file, --cert-domain, --plaintext and --store; a TLS file ends --plaintext; an " +
    "empty value clears a setting; if there is no current context, this context becomes the current one",
  configure: (command) => command.argument("<context>", "name of the context, such as staging"),
  async run({ output, options, isGiven, args: [name = ""] }) {
    if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
      throw new UsageError(
        "Give a name of 1 to 64 letters, digits, '.', '-' or '_'. The name must begin with a letter or digit.",
      );
    const location = contextFilePath();
    const { contexts, current = name } = readContextFile(location);
    const { plaintext, ...earlier } = contexts[name] ?? {};
    const given = givenSettings(options, isGiven);
    // A context that stayed without TLS would ignore the files.
    const staysPlaintext = plaintext && !tlsFiles.some((file) => given[file]);
    const context = { ...earlier, ...(staysPlaintext && { plaintext }), ...given };
    writeContextFile(location, { current, contexts: { ...contexts, [name]: context } });
    output.result({ name, isCurrent: current === name, ...context }, `the context ${name} is stored in ${location}`);
  },
});

const tlsFiles = ["certFile", "keyFile", "caFile"] as const;

/** Returns the settings that the command line contains; empty ones are undefined, so that the file omits them. */
function givenSettings(options: ConnectionOptions, isGiven: (option: string) => boolean): Context {
  const pathOf = (name: (typeof tlsFiles)[number]) => {
    const file = options[name];
    return isGiven(name) && { [name]: file ? givenPath(file) : undefined };
  };
  return {
    ...(isGiven("registry") && { registry: options.registry || undefined }),
    ...pathOf("certFile"),
    ...pathOf("keyFile"),
    ...pathOf("caFile"),
    ...(isGiven("certDomain") && { certDomain: options.certDomain || undefined }),
    ...(isGiven("plaintext") && { plaintext: true }),
    ...(isGiven("store") && { store: options.store || undefined }),
  };
}
