{{/*
A Secret with one random key, generated at the first installation. Argument: dict root component keys existingSecret
value (the name of the chart's value)
- It is immutable and kept at uninstall: with another key, stored secrets and issued cursors become unreadable.
- A tool that renders without access to the cluster generates another key each time. The API server then refuses the
  update, because the Secret is immutable; such installations name an existing Secret instead.
*/}}
{{- define "certificate-registry.generatedKey" -}}
{{- $kept := include "certificate-registry.kept" (merge (dict "kind" "Secret") .) | fromYaml -}}
{{- if not .existingSecret -}}
{{- if gt (len .keys) 1 }}{{ fail (printf "%s.keys: the generated Secret has one key; set %s.existingSecret to use several" .value .value) }}{{ end -}}
{{- if and $kept (not (hasKey $kept.data (first .keys))) -}}
{{- fail (printf "%s.keys names %s, but the generated Secret %s contains %s" .value (first .keys) $kept.metadata.name (keys $kept.data | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- if or $kept (not .existingSecret) -}}
apiVersion: v1
kind: Secret
metadata: {{- include "certificate-registry.metadata" . | nindent 2 }}
  annotations:
    helm.sh/resource-policy: keep
type: Opaque
immutable: true
data: {{- toYaml ($kept.data | default (dict (first .keys) (randBytes 32))) | nindent 2 }}
{{- end -}}
{{- end -}}
