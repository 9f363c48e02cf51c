{{/*
A Secret with one random key, generated at the first installation. Argument: dict root component keys
- It is immutable and kept at uninstall: with another key, stored secrets and issued cursors become unreadable.
- A tool that renders without access to the cluster generates another key each time. The API server then refuses the
  update, because the Secret is immutable; such installations name an existing Secret instead.
*/}}
{{- define "certificate-registry.generatedKey" -}}
{{- $name := include "certificate-registry.name" . -}}
{{- $existing := lookup "v1" "Secret" .root.Release.Namespace $name -}}
{{- if gt (len .keys) 1 }}{{ fail (printf "%s: the generated Secret has one key; set existingSecret to use several" .component) }}{{ end -}}
apiVersion: v1
kind: Secret
metadata: {{- include "certificate-registry.metadata" . | nindent 2 }}
  annotations:
    helm.sh/resource-policy: keep
type: Opaque
immutable: true
data:
  {{- if $existing }}
  {{- toYaml $existing.data | nindent 2 }}
  {{- else }}
  {{ first .keys }}: {{ randBytes 32 }}
  {{- end }}
{{- end -}}
