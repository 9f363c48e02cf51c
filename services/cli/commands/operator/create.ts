import { Option } from "commander";
import { isEmailAddress } from "#shared/email/email-address.ts";
import { allStores, operatorEntry, operatorRights } from "#shared/operators/operator-entry.ts";
import { generateOperatorToken, operatorTokenHash } from "#shared/operators/operator-token.ts";
import { defineCommand } from "../../command/command.ts";
import { UsageError } from "../../output/usage-error.ts";

export const operatorCreate = defineCommand<Record<"right" | "for", readonly string[]>>({
  name: "operator create",
  description: "create an operator's token, shown once, and the entry for the operators' file; works offline",
  changes: "nothing",
  isOffline: true,
  configure: (command) =>
    command
      .argument("<name>", "name of the person or program, as logs and histories show it; not an e-mail address")
      .addOption(
        new Option("--right <right...>", "what the operator may do").choices([...operatorRights]).makeOptionMandatory(),
      )
      .requiredOption("--for <domain...>", "domains of the stores to which the rights apply; '*' for all stores"),
  async run({ output, options, args: [actor = ""] }) {
    if (isEmailAddress(actor))
      throw new UsageError("The name must not be an e-mail address, because logs and histories keep it.");
    const token = generateOperatorToken();
    const entry = operatorEntry.safeParse({
      actor,
      token_sha256: operatorTokenHash(token),
      rights: options.right,
      stores: options.for,
    });
    if (!entry.success) throw new UsageError(entry.error.issues.map(problemOf).join(" "));
    if (options.for.includes(allStores) && options.for.length > 1)
      throw new UsageError(`After --for, give either '${allStores}' or domains of stores, not both.`);
    if (output.isJson) return output.result({ token, entry: entry.data });
    output.note("token, shown only once; hand it to the operator:");
    output.result({}, token);
    output.note("entry for the JSON array in the file that REGISTRY_OPERATORS_FILE names:");
    output.result({}, JSON.stringify(entry.data));
  },
});

const optionOf: Readonly<Record<string, string>> = { actor: "The name", rights: "--right", stores: "--for" };

function problemOf({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  return `${optionOf[String(path[0])] ?? String(path[0])} ${message}.`;
}
