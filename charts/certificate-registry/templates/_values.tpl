{{/*
The values of a component: its own over the component's defaults (defaults/<component>.yaml), over those in `pods` and,
for a service, `services`. Argument: dict root component. As when Helm merges values files, maps are merged, null
removes a default, and everything else is replaced; Sprig's `merge` would ignore an own value that is false, 0 or empty.
*/}}
{{- define "certificate-registry.values" -}}
{{- $values := .root.Values -}}
{{- $named := dict "certctl" $values.helmTest "mongodb" $values.trial.mongodb "nats" $values.trial.nats -}}
{{- $own := get $named .component | default (get $values .component) -}}
{{- $defaults := $values.pods -}}
{{- if has .component (list "edge" "registry" "notifier") -}}
{{- $defaults = include "certificate-registry.merged" (dict "own" $values.services "defaults" $defaults) | fromYaml -}}
{{- end -}}
{{- $ofComponent := .root.Files.Get (printf "defaults/%s.yaml" .component) | fromYaml -}}
{{- $defaults = include "certificate-registry.merged" (dict "own" $ofComponent "defaults" $defaults) | fromYaml -}}
{{- include "certificate-registry.merged" (dict "own" $own "defaults" $defaults) -}}
{{- end -}}

{{/* A map over another one, without the keys that are null. Argument: dict own defaults */}}
{{- define "certificate-registry.merged" -}}
{{- $merged := deepCopy .defaults -}}
{{- range $key, $value := .own -}}
{{- if kindIs "map" $value -}}
{{- $default := get $merged $key -}}
{{- $under := ternary $default dict (kindIs "map" $default) -}}
{{- $value = include "certificate-registry.merged" (dict "own" $value "defaults" $under) | fromYaml -}}
{{- end -}}
{{- if kindIs "invalid" $value }}{{ $_ := unset $merged $key }}{{ else }}{{ $_ := set $merged $key $value }}{{ end -}}
{{- end -}}
{{- toYaml $merged -}}
{{- end -}}

{{/*
Fails if the cluster lacks a kind of object that a value asks for. Argument: dict root kind (group/version/kind) value.
Without access to a cluster, Helm knows versions of groups, but no kinds.
*/}}
{{- define "certificate-registry.requireKind" -}}
{{- $known := .root.Capabilities.APIVersions -}}
{{- if and ($known.Has "apps/v1/Deployment") (not ($known.Has .kind)) -}}
{{- fail (printf "%s needs %s, which the cluster does not have: install its custom resource definitions first" .value .kind) -}}
{{- end -}}
{{- end -}}
