{{/*
The values of a component: its own over the defaults in `pods` and, for a service, `services`. Argument: dict root
component. As when Helm merges values files, maps are merged, null removes a default, and everything else is replaced;
Sprig's `merge` would ignore an own value that is false, 0 or empty.
*/}}
{{- define "certificate-registry.values" -}}
{{- $values := .root.Values -}}
{{- $named := dict "certctl" $values.helmTest "mongodb" $values.trial.mongodb "nats" $values.trial.nats -}}
{{- $own := get $named .component | default (get $values .component) -}}
{{- $defaults := $values.pods -}}
{{- if has .component (list "edge" "registry" "notifier") -}}
{{- $defaults = include "certificate-registry.merged" (dict "own" $values.services "defaults" $defaults) | fromYaml -}}
{{- end -}}
{{- if eq .component "registry" -}}
{{- $registry := include "certificate-registry.registryDefaults" . | fromYaml -}}
{{- $defaults = include "certificate-registry.merged" (dict "own" $registry "defaults" $defaults) | fromYaml -}}
{{- end -}}
{{- include "certificate-registry.merged" (dict "own" $own "defaults" $defaults) -}}
{{- end -}}

{{/*
The registry's own defaults, over those of `services`. They are not in values.yaml, because Helm would delete such a
default together with the null that removes it, and the default of `services` would take its place.
*/}}
{{- define "certificate-registry.registryDefaults" -}}
resources:
  requests: { cpu: 250m, memory: 256Mi }
  limits: { memory: 1Gi }
autoscaling: { maxReplicas: 6 }
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
