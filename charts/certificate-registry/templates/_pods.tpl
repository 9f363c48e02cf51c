{{/*
The metadata of a component's pods. Argument: dict root component, and optionally `annotations`, which take precedence
over those of the values.
*/}}
{{- define "certificate-registry.podMetadata" -}}
{{- $values := include "certificate-registry.values" . | fromYaml -}}
labels:
  {{- include "certificate-registry.selectorLabels" . | nindent 2 }}
  {{- with merge dict ($values.podLabels | default dict) .root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge dict (.annotations | default dict) ($values.podAnnotations | default dict) }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
The part of the specification that all pods share. Argument: dict root component, and optionally `affinity`, over which
that of the values takes precedence.
*/}}
{{- define "certificate-registry.podSpec" -}}
{{- $values := include "certificate-registry.values" . | fromYaml -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- $user := dict }}
{{- with $values.runAsUser }}{{ $user = dict "runAsUser" . "runAsGroup" . "fsGroup" . }}{{ end }}
securityContext: {{- toYaml (merge $user .root.Values.podSecurityContext) | nindent 2 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with merge dict ($values.affinity | default dict) (.affinity | default dict) }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
