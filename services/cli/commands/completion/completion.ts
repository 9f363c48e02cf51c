import { Argument } from "commander";
import { defineCommand } from "../../command/command.ts";
import { bashScript } from "./bash-script.ts";
import { type CompletionTables, completionTables } from "./completion-tables.ts";
import { fishScript } from "./fish-script.ts";
import { zshScript } from "./zsh-script.ts";

const scripts = new Map<string, (tables: CompletionTables) => string>([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);

export const completion = defineCommand({
  name: "completion",
  changes: "nothing",
  isOffline: true,
  description:
    "print a script that completes certctl's commands, options and values; to load it, add " +
    "'eval \"$(certctl completion bash)\"' to ~/.bashrc, 'source <(certctl completion zsh)' to ~/.zshrc, or " +
    "'certctl completion fish | source' to config.fish",
  configure: (command) => command.addArgument(new Argument("<shell>").choices([...scripts.keys()])),
  async run({ program, output, args: [shell = ""] }) {
    const script = scripts.get(shell)?.(completionTables(program)) ?? "";
    output.result({ shell, script }, script.trimEnd());
  },
});
