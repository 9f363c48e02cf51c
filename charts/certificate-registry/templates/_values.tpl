{{/*
The values of a component: its own over the defaults in `pods` and, for a service, `services`. Argument: dict root
component. As when Helm merges values files, maps are merged and everything else is replaced; Sprig's `merge` would
ignore an own value that is false, 0 or empty.
*/}}
{{- define "certificate-registry.values" -}}
{{- $values := .root.Values -}}
{{- $named := dict "certctl" $values.helmTest "mongodb" $values.trial.mongodb "nats" $values.trial.nats -}}
{{- $own := get $named .component | default (get $values .component) -}}
{{- $defaults := $values.pods -}}
{{- if has .component (list "edge" "registry" "notifier") -}}
{{- $defaults = include "certificate-registry.merged" (dict "own" $values.services "defaults" $defaults) | fromYaml -}}
{{- end -}}
{{- include "certificate-registry.merged" (dict "own" $own "defaults" $defaults) -}}
{{- end -}}

{{/* A map over another one. Argument: dict own defaults */}}
{{- define "certificate-registry.merged" -}}
{{- $merged := deepCopy .defaults -}}
{{- range $key, $value := .own -}}
{{- $default := get $merged $key -}}
{{- if and (kindIs "map" $value) (kindIs "map" $default) -}}
{{- $value = include "certificate-registry.merged" (dict "own" $value "defaults" $default) | fromYaml -}}
{{- end -}}
{{- $_ := set $merged $key $value -}}
{{- end -}}
{{- toYaml $merged -}}
{{- end -}}
