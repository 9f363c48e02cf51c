{{/*
The variables and files of a service. Argument: dict root component computed files
- `computed`: fields that the chart derives from other values; `config` and `files` of the component replace them
- `files`: files that the chart mounts in addition to those of the component
The result is YAML with `fields` (field name → text) and `files` (field name → reference).
*/}}
{{- define "certificate-registry.settings" -}}
{{- $values := get .root.Values .component -}}
{{- $files := dict -}}
{{- range $field, $reference := .files }}{{ $_ := set $files $field $reference }}{{ end -}}
{{- range $field, $reference := $values.files }}{{ $_ := set $files $field $reference }}{{ end -}}
{{- $fields := include "certificate-registry.tracingFields" .root | fromYaml -}}
{{- range $field, $value := .computed }}{{ $_ := set $fields $field $value }}{{ end -}}
{{- range $field, $reference := $files -}}
{{- $_ := set $fields $field (printf "/etc/certificate-registry/files/%s/%s" $field $reference.key) -}}
{{- /* A variable and its `_FILE` form are mutually exclusive. */ -}}
{{- $_ := unset $fields (trimSuffix "File" $field) -}}
{{- end -}}
{{- range $field, $value := $values.config -}}
{{- if not (kindIs "invalid" $value) -}}
{{- if hasKey $values.files $field }}{{ fail (printf "%s.config.%s and %s.files.%s contradict each other: set one of them" $.component $field $.component $field) }}{{ end -}}
{{- if and (has $field (list "mongodbUri" "natsServers")) (contains "@" $value) -}}
{{- fail (printf "%s.config.%s contains a login, which everyone could read who may read pods: use %s.files.%sFile" $.component $field $.component $field) -}}
{{- end -}}
{{- $_ := unset $files $field -}}
{{- $_ := unset $files (printf "%sFile" $field) -}}
{{- $_ := set $fields $field (include "certificate-registry.text" $value) -}}
{{- $_ := unset $fields (printf "%sFile" $field) -}}
{{- if hasSuffix "File" $field }}{{ $_ := unset $fields (trimSuffix "File" $field) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toYaml (dict "fields" $fields "files" $files) -}}
{{- end -}}

{{/* The fields of tracing. Argument: root */}}
{{- define "certificate-registry.tracingFields" -}}
{{- with .Values.tracing -}}
{{- if .endpoint -}}
otelExporterOtlpEndpoint: {{ .endpoint | quote }}
otelTracesSamplerArg: {{ include "certificate-registry.text" .ratio | quote }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A value as text. Numbers from YAML are floating-point numbers; on and off without quotation marks are booleans. */}}
{{- define "certificate-registry.text" -}}
{{- if kindIs "bool" . }}{{ ternary "on" "off" . }}
{{- else if and (kindIs "float64" .) (eq . (floor .)) }}{{ printf "%.0f" . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{/*
The list `env` of a container. Argument: dict component fields nodeOptions extra. `extra` follows, so that it may refer
to the other variables.
*/}}
{{- define "certificate-registry.env" -}}
{{- with .nodeOptions }}
- name: NODE_OPTIONS
  value: {{ . | quote }}
{{- end }}
{{- $names := dict "NODE_OPTIONS" "nodeOptions" -}}
{{- range $field := keys .fields | sortAlpha }}
{{- /* The standard variables of OpenTelemetry have no prefix. */}}
{{- $name := ternary (snakecase $field) (printf "%s_%s" $.component (snakecase $field)) (hasPrefix "otel" $field) | upper }}
{{- $_ := set $names $name (printf "config.%s" $field) }}
- name: {{ $name }}
  value: {{ get $.fields $field | quote }}
{{- end }}
{{- range .extra }}
{{- if hasKey $names .name }}{{ fail (printf "%s.extraEnv: set %s.%s instead of %s" $.component $.component (get $names .name) .name) }}{{ end }}
- {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Paths of key files, comma-separated. Argument: list of key names */}}
{{- define "certificate-registry.keyPaths" -}}
{{- $paths := list -}}
{{- range . }}{{ $paths = append $paths (printf "/etc/certificate-registry/keys/%s" .) }}{{ end -}}
{{- join "," $paths -}}
{{- end -}}

{{/* The registry's fields that follow from other values. Argument: root */}}
{{- define "certificate-registry.registryFields" -}}
{{- $own := .Values.registry -}}
secretKeyFiles: {{ include "certificate-registry.keyPaths" $own.secretKeys.keys | quote }}
{{- if .Values.host }}
verifyBaseUrl: {{ printf "https://%s/verify" .Values.host | quote }}
{{- else if not $own.config.verifyBaseUrl }}
{{- fail "host is required: the public host name of the API and the verification pages" }}
{{- end }}
{{- if .Values.trial.mongodb.enabled }}
mongodbUri: {{ printf "mongodb://%s:27017/certificate_registry?directConnection=true" (include "certificate-registry.serviceHost" (dict "root" . "component" "mongodb")) | quote }}
{{- else if not (or .Values.mongodb.uri .Values.mongodb.uriSecret.name $own.config.mongodbUri $own.config.mongodbUriFile $own.files.mongodbUriFile) }}
{{- fail "MongoDB is required: set mongodb.uriSecret.name or mongodb.uri, or trial.mongodb.enabled for a trial" }}
{{- end }}
{{ include "certificate-registry.natsFields" (dict "root" . "component" "registry") }}
{{ include "certificate-registry.grpcFields" . }}
{{- end -}}

{{/* The files that the chart mounts in the registry, as references. Argument: root */}}
{{- define "certificate-registry.registryFiles" -}}
{{- $files := include "certificate-registry.grpcFiles" (dict "root" . "component" "registry") | fromYaml -}}
{{- with .Values.mongodb -}}
{{- $created := ternary (dict "name" (include "certificate-registry.name" (dict "root" $ "component" "mongodb-uri")) "key" "uri") dict (ne .uri "") -}}
{{- with ternary .uriSecret $created (ne .uriSecret.name "") -}}
{{- $_ := set $files "mongodbUriFile" (dict "secretName" .name "key" .key) -}}
{{- end -}}
{{- end -}}
{{- toYaml $files -}}
{{- end -}}

{{/* The field with the NATS servers. Argument: dict root component */}}
{{- define "certificate-registry.natsFields" -}}
{{- $own := get .root.Values .component -}}
{{- if contains "@" (.root.Values.nats.servers | default "") }}
{{- fail "nats.servers contains a login, which everyone could read who may read pods: use registry.files.natsServersFile and notifier.files.natsServersFile" }}
{{- else if .root.Values.nats.servers }}
natsServers: {{ .root.Values.nats.servers | quote }}
{{- else if .root.Values.trial.nats.enabled }}
natsServers: {{ printf "nats://%s:4222" (include "certificate-registry.serviceHost" (dict "root" .root "component" "nats")) | quote }}
{{- else if not (or $own.config.natsServers $own.config.natsServersFile $own.files.natsServersFile) }}
{{- fail (printf "NATS is required: set nats.servers or %s.files.natsServersFile, or trial.nats.enabled for a trial" .component) }}
{{- end }}
{{- end -}}

{{/* The field with the registry's address: gRPC balances over all pods that the headless Service resolves to. */}}
{{- define "certificate-registry.registryAddress" -}}
{{- printf "dns:///%s:%v" (include "certificate-registry.serviceHost" (dict "root" . "component" "registry")) (include "certificate-registry.port" (dict "root" . "component" "registry" "field" "port" "default" 9090)) -}}
{{- end -}}

{{/* The number of a port. Argument: dict root component field default */}}
{{- define "certificate-registry.port" -}}
{{- $config := (get .root.Values .component).config -}}
{{- include "certificate-registry.text" (get $config .field | default .default) -}}
{{- end -}}
