import { Marked } from "marked";
import type { GuidePage } from "../../services/edge/docs/guide-pages.ts";

/** A code block of the guide that a reader runs, or saves in a file. */
export interface Snippet {
  /** `sh` for commands; otherwise the language of a file. */
  readonly language: string;
  readonly text: string;
  readonly file: string | undefined;
  /** Port on which the file's server listens: the block's option `server`; undefined without that option. */
  readonly port: number | undefined;
  /** Name of a required program that is not on every machine. */
  readonly needs: string | undefined;
}

// Languages of blocks that a reader neither runs nor saves, such as responses and messages.
const shown: readonly string[] = ["json", "http", "text"];

/** Returns a page's code blocks that a reader runs or saves, in order. @throws Error if a file has no name */
export function snippetsOf({ slug, markdown }: GuidePage): readonly Snippet[] {
  return new Marked().lexer(markdown).flatMap((token): Snippet[] => {
    if (token.type !== "code") return [];
    const info: string = token.lang ?? "";
    const [language = ""] = info.split(" ");
    if (shown.includes(language)) return [];
    const option = (name: string) => new RegExp(`\\b${name}=(\\S+)`).exec(info)?.[1];
    const [file, port] = [option("file"), option("server")];
    if (language !== "sh" && file === undefined) throw new Error(`${slug}: a ${language} block has no file name`);
    const text: string = token.text;
    return [{ language, text, file, port: port === undefined ? undefined : Number(port), needs: option("needs") }];
  });
}
