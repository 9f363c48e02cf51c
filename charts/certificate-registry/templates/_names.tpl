{{/* The name of the release, the prefix of all object names. */}}
{{- define "certificate-registry.fullname" -}}
{{- if not (and .Values.services .Values.pods) -}}
{{- fail "the values lack services or pods, as those of an earlier chart do: upgrade with --reset-then-reuse-values instead of --reuse-values" -}}
{{- end -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 42 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 42 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 42 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The label `installation` of all metrics, unique in the cluster. */}}
{{- define "certificate-registry.installation" -}}
{{- printf "%s/%s" .Release.Namespace (include "certificate-registry.fullname" .) -}}
{{- end -}}

{{/* The name of a component's objects. Argument: dict root component */}}
{{- define "certificate-registry.name" -}}
{{- printf "%s-%s" (include "certificate-registry.fullname" .root) .component -}}
{{- end -}}

{{/* The labels that select a component's pods; they never change. Argument: dict root component */}}
{{- define "certificate-registry.selectorLabels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* All labels of a component's objects. Argument: dict root component */}}
{{- define "certificate-registry.labels" -}}
{{ include "certificate-registry.selectorLabels" . }}
app.kubernetes.io/part-of: {{ .root.Chart.Name }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
The name, namespace and labels of an object. Argument: dict root component, and optionally `name`. The labels come last:
more of them may follow.
*/}}
{{- define "certificate-registry.metadata" -}}
name: {{ .name | default (include "certificate-registry.name" .) | quote }}
namespace: {{ .root.Release.Namespace | quote }}
labels: {{- include "certificate-registry.labels" . | nindent 2 }}
{{- end -}}

{{/* The DNS name of a component's Service. Argument: dict root component */}}
{{- define "certificate-registry.serviceHost" -}}
{{- printf "%s.%s.svc.%s" (include "certificate-registry.name" .) .root.Release.Namespace .root.Values.clusterDomain -}}
{{- end -}}

{{/* The image of a component. Argument: dict root component */}}
{{- define "certificate-registry.image" -}}
{{- $own := (include "certificate-registry.values" . | fromYaml).image -}}
{{- $repository := $own.repository -}}
{{- if not $repository -}}
{{- $prefix := required "image.repository is required: the start of the images' names, such as registry.example.com/certificate-registry" .root.Values.image.repository -}}
{{- $repository = printf "%s/%s" $prefix .component -}}
{{- end -}}
{{- $tag := $own.tag | default .root.Values.image.tag -}}
{{- if and $own.digest $tag -}}
{{- $value := ternary "helmTest" .component (eq .component "certctl") -}}
{{- fail (printf "%s.image.digest excludes the tag %s: unset the digest (\"\") to use the tag" $value $tag) -}}
{{- else if $own.digest -}}
{{- printf "%s@%s" $repository $own.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository ($tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
