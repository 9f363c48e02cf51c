import type { NamedContext } from "../contexts/choose-context.ts";
import type { ListFormat } from "../output/output.ts";

/** A context and whether it is the current one. */
interface ListedContext extends NamedContext {
  readonly isCurrent: boolean;
}

/** The format of a context in lists; an asterisk marks the current context. */
export const contextFormat: ListFormat<ListedContext> = {
  columns: [
    { title: "", value: ({ isCurrent }) => (isCurrent ? "*" : "-"), isWhole: true },
    { title: "NAME", value: ({ name }) => name, isWhole: true },
    { title: "REGISTRY", value: ({ registry = "-" }) => registry },
    { title: "STORE", value: ({ store = "-" }) => store },
    { title: "TLS", value: ({ plaintext, certFile = "-" }) => (plaintext ? "plaintext" : certFile) },
  ],
  toJson: (context) => context,
};
