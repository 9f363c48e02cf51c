import { fitTable, type TableColumn, wrapLine } from "./fit-table.ts";
import { print, printError } from "./print.ts";

/** A column of a list. Only `value` and `plainWidth` apply to plain lines. */
interface ListColumn<Item> extends TableColumn {
  readonly value: (item: Item) => string;
  /** Minimum width in plain lines, which are otherwise not aligned. */
  readonly plainWidth?: number;
}

/** How a list is shown. */
export interface ListFormat<Item> {
  readonly columns: readonly ListColumn<Item>[];
  /** Returns the lines to print below an item, without their indentation. */
  readonly details?: (item: Item) => readonly string[];
  readonly toJson: (item: Item) => object;
}

/**
 * Prints the output of a command. With `--json`, every line of standard output and standard error is a JSON document.
 * Otherwise lists are tables that fit the terminal or, without a terminal, plain lines that are never cut.
 */
export interface Output {
  readonly isJson: boolean;
  /** Prints the result: its lines, or its document with `--json`. */
  result(document: object, ...lines: readonly string[]): void;
  /** Prints the action that `--yes` would perform; with `--json`, as the document's `message`. */
  preview(action: string, document: object): void;
  /**
   * Returns a function that prints an item of a list. On a terminal without `--json`, the items form a table, which is
   * printed before any further output or when the command ends. Otherwise each item is printed immediately.
   */
  list<Item>(format: ListFormat<Item>): (item: Item) => void;
  /** Prints a remark on standard error: `{"note": …}` with `--json`. */
  note(text: string): void;
  /** Prints the table that has not been printed yet, if any. */
  flush(): void;
}

/** Standard output. `columns` is the terminal's width, or undefined if standard output is not a terminal. */
interface Terminal {
  readonly columns?: number | undefined;
}

/** Creates the output of a command. @param isJson whether the command line contains `--json` */
export function createOutput(isJson: boolean, terminal: Terminal = process.stdout): Output {
  let printHeld: (() => void) | undefined;
  const flush = () => {
    const printNow = printHeld;
    printHeld = undefined;
    printNow?.();
  };
  const note = (text: string) => {
    flush();
    printError(isJson ? JSON.stringify({ note: text }) : text);
  };
  const result = (document: object, ...lines: readonly string[]) => {
    flush();
    if (isJson) print(JSON.stringify(document));
    else lines.forEach(print);
  };
  function tableOf<Item>(format: ListFormat<Item>, width: number): (item: Item) => void {
    const items: Item[] = [];
    const printItems = () => {
      const hidden = printTable(items.splice(0), format, width);
      if (hidden.length > 0)
        note(`The terminal is too narrow for: ${hidden.join(", ")}. Widen it, pipe the output, or use --json.`);
    };
    // Items after a remark form a further table.
    return (item) => {
      items.push(item);
      printHeld = printItems;
    };
  }
  return {
    isJson,
    note,
    result,
    flush,
    preview(action, document) {
      const message = `would ${action}; rerun with --yes to apply`;
      result({ preview: true, message, ...document }, message);
    },
    list(format) {
      flush();
      if (isJson) return (item) => print(JSON.stringify(format.toJson(item)));
      return terminal.columns ? tableOf(format, terminal.columns) : (item) => printPlain(item, format);
    },
  };
}

function printPlain<Item>(item: Item, { columns, details }: ListFormat<Item>): void {
  print(
    columns
      .map(({ value, plainWidth = 0 }) => value(item).padEnd(plainWidth))
      .join("  ")
      .trimEnd(),
  );
  for (const line of details?.(item) ?? []) print(`    ${line}`);
}

/** @returns the titles of hidden columns */
function printTable<Item>(
  items: readonly Item[],
  { columns, details }: ListFormat<Item>,
  width: number,
): readonly string[] {
  const rows = items.map((item) => columns.map(({ value }) => value(item).replaceAll(/[\n\t]/g, " ")));
  const { lines, hidden } = fitTable(columns, rows, width);
  const [head = "", ...body] = lines;
  print(head);
  for (const [index, item] of items.entries()) {
    print(body[index] ?? "");
    for (const line of details?.(item) ?? []) wrapLine(`    ${line}`, width).forEach(print);
  }
  return hidden;
}
