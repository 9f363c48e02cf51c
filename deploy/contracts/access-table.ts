import { accessOf } from "../../services/registry/rpc/method-access.ts";
import { registryServices } from "../../services/registry/rpc/registry-services.ts";

/** First line of the table that {@link accessTable} returns. */
export const accessTableHead = "| contract | caller | right | over all stores | not for merchants |";

/** Renders who may call the registry's services, as their contracts state, as a Markdown table. */
export function accessTable(): string {
  const rows = registryServices.map(({ typeName, methods }) => {
    const accesses = methods.map((method) => ({ name: method.name, access: accessOf(method) }));
    const all = accesses.filter(({ access }) => access.scope === "all_stores").map(({ name }) => name);
    const callers = unique(accesses.flatMap(({ access }) => access.callers));
    const granted = accesses.flatMap(({ access }) => access.right ?? []);
    const rights = granted.length === 0 ? "internal" : unique(granted);
    const others = accesses.filter(({ access }) => !access.callers.includes("merchant")).map(({ name }) => name);
    const listOf = (names: readonly string[]) =>
      names.length === methods.length ? "all methods" : names.map((name) => `\`${name}\``).join(", ");
    return `| \`${typeName}\` | ${callers} | ${rights} | ${listOf(all)} | ${listOf(others)} |`;
  });
  return `${[accessTableHead, "|---|---|---|---|---|", ...rows].join("\n")}\n`;
}

function unique(values: readonly string[]): string {
  return [...new Set(values)].join(", ");
}
