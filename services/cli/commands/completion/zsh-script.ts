import { type CompletionTables, contextsMarker, filesMarker, textMarker } from "./completion-tables.ts";
import { posixFunctions } from "./posix-script.ts";

/**
 * Returns the completion script for zsh. It can be sourced after compinit, or saved as `_certctl` in a folder on fpath.
 */
export function zshScript(tables: CompletionTables): string {
  return `#compdef certctl
# Completion of certctl for zsh: source <(certctl completion zsh)
${posixFunctions(tables)}

_certctl() {
  local unfinished="\${words[CURRENT]}"
  local -a candidates
  candidates=("\${(@f)$(_certctl_candidates "$unfinished" "\${(@)words[2,CURRENT-1]}")}")
  if [[ "$unfinished" == -*=* ]]; then compset -P '*='; fi
  case "\${candidates[1]}" in
    ${filesMarker}) _files; return ;;
    ${contextsMarker}) candidates=("\${(@f)$(_certctl_contexts "\${words[1]}")}") ;;
    ${textMarker}) candidates=() ;;
  esac
  # The first colon separates value and description.
  candidates=("\${(@)candidates/$'\\t'/:}")
  candidates=("\${(@)candidates:#}")
  _describe certctl candidates
}

if [ "\${funcstack[1]}" = "_certctl" ]; then _certctl "$@"; else compdef _certctl certctl; fi
`;
}
