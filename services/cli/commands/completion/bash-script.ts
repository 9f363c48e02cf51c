import { type CompletionTables, contextsMarker, filesMarker, textMarker } from "./completion-tables.ts";
import { posixFunctions } from "./posix-script.ts";

/** Returns the completion script for bash 3.2, whose `source` cannot read from `<(…)`, and later. */
export function bashScript(tables: CompletionTables): string {
  return `# Completion of certctl for bash: eval "$(certctl completion bash)"
${posixFunctions(tables)}

_certctl() {
  local line="\${COMP_LINE:0:COMP_POINT}" unfinished="" candidates IFS=$'\\n'
  local -a typed
  # Not COMP_WORDS, which bash also splits at "=" and ":".
  IFS=$' \\t' read -ra typed <<<"$line"
  if [[ "$line" != *[[:space:]] ]]; then
    unfinished="\${typed[\${#typed[@]}-1]}"
    typed=("\${typed[@]:0:\${#typed[@]}-1}")
  fi
  candidates="$(_certctl_candidates "$unfinished" "\${typed[@]:1}")"
  if [[ "$unfinished" == -*=* ]]; then unfinished="\${unfinished#*=}"; fi
  case "$candidates" in
    ${filesMarker}) COMPREPLY=($(compgen -f -- "$unfinished")); compopt -o filenames 2>/dev/null; return ;;
    ${contextsMarker}) candidates="$(_certctl_contexts "\${typed[0]}")" ;;
    ${textMarker}) candidates="" ;;
  esac
  COMPREPLY=($(compgen -W "$(cut -f 1 <<<"$candidates")" -- "$unfinished"))
}

complete -F _certctl certctl
`;
}
