import { isMap, isScalar, type Node, type Pair, parseDocument, type YAMLMap } from "yaml";

/** One key of values.yaml: either a group of keys or a value. */
export interface ChartValue {
  /** Dotted path, such as `edge.image.tag`. */
  readonly path: string;
  readonly name: string;
  /** The comment above the key, joined into one line, without annotations; empty for most groups. */
  readonly description: string;
  /**
   * JSON Schema keywords from the `@schema {…}` lines. Our own are `x-variables` and `x-files`, with the name of a
   * service, and `x-defaults`, with the groups whose values this group may contain too.
   */
  readonly keywords: Readonly<Record<string, unknown>>;
  /** The default; for a group, an object with the defaults of its keys. */
  readonly value: unknown;
  /** The keys of a group; undefined for a value. */
  readonly children: readonly ChartValue[] | undefined;
}

const annotation = "@schema ";

/**
 * Reads the keys of a values.yaml with their comments.
 *
 * @throws Error when the file is invalid, or a value has no comment
 */
export function parseChartValues(text: string): readonly ChartValue[] {
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem !== undefined) throw problem;
  if (!isMap(document.contents)) throw new Error("values.yaml must contain a mapping");
  return entriesOf(document.contents, "");
}

function entriesOf(map: YAMLMap, parent: string): readonly ChartValue[] {
  return map.items.map((pair, index) => entryOf(pair, parent, index === 0 ? map : undefined));
}

/** @param firstOf the map, if this is its first pair: the parser attaches the comment above a first pair to the map */
function entryOf({ key, value }: Pair, parent: string, firstOf: YAMLMap | undefined): ChartValue {
  const place = parent === "" ? "at the top level" : `in ${parent}`;
  if (!isScalar(key)) throw new Error(`values.yaml: a key ${place} is not a scalar`);
  const name = String(key.value);
  const path = parent === "" ? name : `${parent}.${name}`;
  const { description, keywords } = parseComment(key.commentBefore ?? firstOf?.commentBefore ?? "");
  const isValue = ["additionalProperties", "$ref", "x-variables", "x-files"].some((keyword) => keyword in keywords);
  const isGroup = isMap(value) && value.items.length > 0 && !isValue;
  if (!isGroup && description === "") throw new Error(`values.yaml: ${path} has no comment`);
  const children = isGroup ? entriesOf(value, path) : undefined;
  return { path, name, description, keywords, value: plainValue(value), children };
}

function plainValue(node: unknown): unknown {
  return (node as Node | null)?.toJSON();
}

/** Parses the last of the comment blocks above a key; earlier blocks are not about the key. */
function parseComment(comment: string) {
  const block = comment.split("\n\n").at(-1) ?? "";
  const lines = block.split("\n").map((line) => line.trim());
  const annotations = lines.filter((line) => line.startsWith(annotation));
  const parsed = annotations.map((line): unknown => JSON.parse(line.slice(annotation.length)));
  const description = lines.filter((line) => !line.startsWith("@")).join(" ");
  return { description: description.trim(), keywords: Object.assign({}, ...parsed) as Record<string, unknown> };
}

/** Returns the values of a tree without the groups, in order. */
export function leavesOf(values: readonly ChartValue[]): readonly ChartValue[] {
  return values.flatMap((value) => (value.children === undefined ? [value] : leavesOf(value.children)));
}
