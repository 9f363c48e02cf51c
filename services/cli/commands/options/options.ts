import { defineCommand } from "../../command/command.ts";

export const options = defineCommand({
  name: "options",
  changes: "nothing",
  isOffline: true,
  description: "list the options that every command accepts, with their environment variables and defaults",
  async run({ program, output }) {
    const help = program.createHelp();
    // The width of a terminal, as in the help of commands.
    help.prepareContext({ helpWidth: process.stdout.columns ?? 80 });
    const listed = program.options.filter(({ long }) => long !== "--version");
    const termWidth = Math.max(...listed.map((option) => help.optionTerm(option).length));
    output.result(
      { options: listed.map(({ flags, description, envVar = null }) => ({ flags, description, variable: envVar })) },
      ...listed.map((option) =>
        help.formatItem(help.optionTerm(option), termWidth, help.optionDescription(option), help),
      ),
    );
  },
});
