import { Argument, type Command, type Option } from "commander";

/** A value, optionally followed by a tab and a description; or a marker. */
type Candidate = string;

/** Candidates by key. A `*` at the start of a key matches any text. */
export type CompletionTable = readonly (readonly [key: string, candidates: readonly Candidate[]])[];

/** The candidates with which a shell completes a command line. A path is a command's full name: `certctl key list`. */
export interface CompletionTables {
  /** The subcommands of each path that has subcommands. */
  readonly commands: CompletionTable;
  /** The options of each path; those of the program are accepted after every path. */
  readonly options: CompletionTable;
  /** The possible values of each option, by path and option; the program's own options have the path `*`. */
  readonly values: CompletionTable;
  /** The possible values of each argument, by path and position, from 1. */
  readonly arguments: CompletionTable;
}

/** Stands for file names. */
export const filesMarker = ":files";
/** Stands for the names of certctl's contexts, which the script requests from certctl. */
export const contextsMarker = ":contexts";
/** Stands for any text: the shell offers nothing. */
export const textMarker = ":text";

/** Builds the tables from a program's commands, options and arguments. */
export function completionTables(program: Command): CompletionTables {
  const all = withPath(program, program.name());
  const rows = (of: (command: Command, path: string) => CompletionTable) =>
    all.flatMap(([path, command]) => of(command, path)).filter(([, candidates]) => candidates.length > 0);
  return {
    commands: rows((command, path) => [
      [path, command.commands.map((child) => candidate(child.name(), child.description()))],
    ]),
    options: rows((command, path) => [
      [path, optionsOf(command).map(({ long, description }) => candidate(long ?? "", description))],
    ]),
    values: rows((command, path) =>
      optionsOf(command)
        .filter(({ required, optional }) => required || optional)
        .map((option) => [`${command === program ? "*" : path} ${option.long}`, valuesOf(option)]),
    ),
    arguments: rows((command, path) =>
      command.registeredArguments.map((argument, index) => [`${path} ${index + 1}`, valuesOf(argument)]),
    ),
  };
}

function withPath(command: Command, path: string): [path: string, command: Command][] {
  const children = command.commands.flatMap((child) => withPath(child, `${path} ${child.name()}`));
  return [[path, command], ...children];
}

// Commander does not list --help, so it is not completed.
function optionsOf(command: Command): readonly Option[] {
  return command.options.filter(({ hidden }) => !hidden);
}

function valuesOf(value: Option | Argument): readonly Candidate[] {
  if (value.argChoices !== undefined) return value.argChoices;
  const placeholder = value instanceof Argument ? value.name() : (/[<[]([^>\]]*)/.exec(value.flags)?.[1] ?? "");
  if (/file|\.csv|\.json/.test(placeholder)) return [filesMarker];
  return [placeholder === "context" ? contextsMarker : textMarker];
}

const descriptionMax = 70;

function candidate(value: string, description: string): Candidate {
  const [first = ""] = description.split(/[;:] | \(/);
  const words = first.trim();
  return words === ""
    ? value
    : `${value}\t${words.length > descriptionMax ? `${words.slice(0, descriptionMax - 1).trimEnd()}…` : words}`;
}
