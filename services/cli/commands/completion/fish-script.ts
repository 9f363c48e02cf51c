import {
  type CompletionTable,
  type CompletionTables,
  contextsMarker,
  filesMarker,
  textMarker,
} from "./completion-tables.ts";

const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function lookUp(name: string, table: CompletionTable): string {
  const cases = table.map(
    ([key, candidates]) => `    case ${quote(key)}\n      printf '%s\\n' ${candidates.map(quote).join(" ")}`,
  );
  return [`function __certctl_${name}`, '  switch "$argv[1]"', ...cases, "  end", "end"].join("\n");
}

/** Returns the completion script for fish 3.4 or later. */
export function fishScript(tables: CompletionTables): string {
  return `# Completion of certctl for fish: certctl completion fish | source
${Object.entries(tables)
  .map(([name, table]: [string, CompletionTable]) => lookUp(name, table))
  .join("\n\n")}

function __certctl_candidates
  set -l typed (commandline -opc)
  set -l unfinished (commandline -ct)
  set -l at certctl
  set -l position 1
  set -l option
  for word in $typed[2..]
    if set -q option[1]
      set -e option
      set -l option
      continue
    end
    switch "$word"
      case '-*=*'
      case '-*'
        if test -n "$(__certctl_values "$at $word")"
          set option $word
        end
      case '*'
        if contains -- "$word" (__certctl_commands "$at" | string split -f 1 \\t)
          set at "$at $word"
        else
          set position (math $position + 1)
        end
    end
  end
  set -l prefix ''
  if string match -qr -- '^-.*=' "$unfinished"
    set option (string split -m 1 -f 1 = -- "$unfinished")
    set prefix "$option="
  end
  set -l candidates
  if set -q option[1]
    set candidates (__certctl_values "$at $option")
  else if string match -q -- '-*' "$unfinished"
    set candidates (__certctl_options "$at") (__certctl_options certctl)
  else
    set candidates (__certctl_commands "$at") (__certctl_arguments "$at $position")
  end
  switch "$candidates[1]"
    case '${filesMarker}'
      set candidates (__fish_complete_path (string replace -- "$prefix" '' "$unfinished"))
    case '${contextsMarker}'
      set candidates ($typed[1] --json context list 2>/dev/null | string replace -rf '^\\{"name":"([^"]*)".*' '$1')
    case '${textMarker}'
      return
  end
  for candidate in $candidates
    echo "$prefix$candidate"
  end
end

complete -c certctl -f -a '(__certctl_candidates)'
`;
}
