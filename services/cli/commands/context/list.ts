import { defineCommand } from "../../command/command.ts";
import type { NamedContext } from "../../contexts/choose-context.ts";
import { contextFilePath, readContextFile } from "../../contexts/context-file.ts";
import type { ListFormat } from "../../output/output.ts";

interface ListedContext extends NamedContext {
  readonly isCurrent: boolean;
}

const contextFormat: ListFormat<ListedContext> = {
  columns: [
    { title: "", value: ({ isCurrent }) => (isCurrent ? "*" : "-"), isWhole: true },
    { title: "NAME", value: ({ name }) => name, isWhole: true },
    { title: "REGISTRY", value: ({ registry = "-" }) => registry },
    { title: "STORE", value: ({ store = "-" }) => store },
    { title: "TLS", value: ({ plaintext, certFile = "-" }) => (plaintext ? "plaintext" : certFile) },
  ],
  toJson: (context) => context,
};

export const contextList = defineCommand({
  name: "context list",
  changes: "nothing",
  isOffline: true,
  description: "list the contexts: name, registry, store, TLS; an asterisk marks the current context",
  async run({ output }) {
    const { contexts, current } = readContextFile(contextFilePath());
    const show = output.list(contextFormat);
    for (const [name, context] of Object.entries(contexts)) show({ name, isCurrent: name === current, ...context });
  },
});
