import type { CompletionTable, CompletionTables } from "./completion-tables.ts";

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const pattern = (key: string) => (key.startsWith("*") ? `*${quote(key.slice(1))}` : quote(key));

function lookUp(name: string, table: CompletionTable): string {
  const cases = table.map(
    ([key, candidates]) => `    ${pattern(key)}) printf '%s\\n' ${candidates.map(quote).join(" ")} ;;`,
  );
  return [`_certctl_${name}() {`, '  case "$1" in', ...cases, "  esac", "}"].join("\n");
}

/**
 * Returns functions for bash and zsh. `_certctl_candidates <unfinished word> <finished words…>` prints the candidates
 * for the unfinished word, one per line, or a marker such as `:files`.
 */
export function posixFunctions(tables: CompletionTables): string {
  return `${Object.entries(tables)
    .map(([name, table]: [string, CompletionTable]) => lookUp(name, table))
    .join("\n\n")}

_certctl_candidates() {
  local unfinished="$1" at=certctl position=1 option= word
  shift
  for word in "$@"; do
    if [ -n "$option" ]; then
      option=
      continue
    fi
    case "$word" in
      -*=*) ;;
      -*) if [ -n "$(_certctl_values "$at $word")" ]; then option="$word"; fi ;;
      *)
        if _certctl_commands "$at" | cut -f 1 | grep -qxF -e "$word"; then
          at="$at $word"
        else
          position=$((position + 1))
        fi
        ;;
    esac
  done
  case "$unfinished" in
    -*=*) option="\${unfinished%%=*}" ;;
  esac
  if [ -n "$option" ]; then
    _certctl_values "$at $option"
  else
    case "$unfinished" in
      -*)
        if [ "$at" != certctl ]; then _certctl_options "$at"; fi
        _certctl_options certctl
        ;;
      *)
        _certctl_commands "$at"
        _certctl_arguments "$at $position"
        ;;
    esac
  fi
}

_certctl_contexts() {
  "$1" --json context list 2>/dev/null | sed -n 's/^{"name":"\\([^"]*\\)".*/\\1/p'
}`;
}
