import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";

/** The type of the value that a message needs for an argument. */
type ArgumentType = "string" | "number" | "Date";

/** A message in ICU MessageFormat, as far as translations must agree about it. */
export interface MessageShape {
  /** The type of each argument's value, by name. */
  readonly argumentTypes: ReadonlyMap<string, ArgumentType>;
  /** The plural forms in the message. */
  readonly plurals: readonly { readonly type: Intl.PluralRuleType; readonly forms: readonly string[] }[];
}

/**
 * Parses a message.
 *
 * @throws SyntaxError if it is not valid, or uses one argument as two types
 */
export function messageShape(message: string): MessageShape {
  const argumentTypes = new Map<string, ArgumentType>();
  const plurals: MessageShape["plurals"][number][] = [];
  for (const element of elementsOf(parse(message, { ignoreTag: true }))) {
    if (element.type === TYPE.plural)
      plurals.push({ type: element.pluralType ?? "cardinal", forms: Object.keys(element.options) });
    const type = argumentType(element);
    if (type === undefined || element.type === TYPE.pound) continue;
    const name = element.value;
    if ((argumentTypes.get(name) ?? type) !== type) throw new SyntaxError(`uses ${name} as two types in: ${message}`);
    argumentTypes.set(name, type);
  }
  return { argumentTypes, plurals };
}

/** Lists elements with those inside their plural and select forms. */
function elementsOf(elements: readonly MessageFormatElement[]): readonly MessageFormatElement[] {
  return elements.flatMap((element) => {
    if (element.type !== TYPE.plural && element.type !== TYPE.select) return [element];
    return [element, ...Object.values(element.options).flatMap((option) => elementsOf(option.value))];
  });
}

function argumentType({ type }: MessageFormatElement): ArgumentType | undefined {
  if (type === TYPE.argument || type === TYPE.select) return "string";
  if (type === TYPE.number || type === TYPE.plural) return "number";
  return type === TYPE.date || type === TYPE.time ? "Date" : undefined;
}
