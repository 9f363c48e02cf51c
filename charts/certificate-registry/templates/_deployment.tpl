{{/*
The Deployment of a service. Arguments in a dict:
- root, component
- computed, files: see certificate-registry.settings
- ports: list of dict name number; the port `operations` serves the probes
- keysSecret: Secret with the service's key files, or empty
- graceMs: time that the process takes to stop, at most
*/}}
{{- define "certificate-registry.deployment" -}}
{{- $values := include "certificate-registry.values" . | fromYaml -}}
{{- $settings := include "certificate-registry.settings" . | fromYaml -}}
{{- $mounted := dict "root" .root "component" .component "files" $settings.files "keysSecret" .keysSecret -}}
{{- $volumes := include "certificate-registry.fileVolumes" $mounted | fromYamlArray -}}
{{- include "certificate-registry.requireOtherNames" (dict "values" $values "component" .component "own" (list (dict "name" .component)) "lists" (list "extraContainers" "extraInitContainers")) -}}
{{- include "certificate-registry.requireOtherNames" (dict "values" $values "component" .component "own" $volumes "lists" (list "extraVolumes")) -}}
apiVersion: apps/v1
kind: Deployment
metadata: {{- include "certificate-registry.metadata" . | nindent 2 }}
spec:
  {{- with include "certificate-registry.replicas" . }}
  replicas: {{ . }}
  {{- end }}
  revisionHistoryLimit: 5
  minReadySeconds: 5
  {{- with $values.progressDeadlineSeconds }}
  progressDeadlineSeconds: {{ int . }}
  {{- end }}
  strategy:
    type: RollingUpdate
    # A new pod is ready before an old one stops.
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  selector:
    matchLabels: {{- include "certificate-registry.selectorLabels" . | nindent 6 }}
  template:
    metadata: {{- include "certificate-registry.podMetadata" . | nindent 6 }}
    spec:
      {{- $affinity := include "certificate-registry.zoneSpread" (dict "root" .root "component" .component "values" $values) | fromYaml }}
      {{- include "certificate-registry.podSpec" (dict "root" .root "component" .component "affinity" $affinity) | nindent 6 }}
      serviceAccountName: {{ include "certificate-registry.name" . }}
      terminationGracePeriodSeconds: {{ add (div (int .graceMs) 1000) 10 }}
      {{- with $values.extraInitContainers }}
      initContainers: {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .component }}
          image: {{ include "certificate-registry.image" . }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          securityContext: {{- toYaml .root.Values.containerSecurityContext | nindent 12 }}
          env: {{- include "certificate-registry.env" (dict "component" .component "fields" $settings.fields "nodeOptions" $values.nodeOptions "extra" $values.extraEnv) | trim | nindent 12 }}
          ports:
            {{- range .ports }}
            - { name: {{ .name }}, containerPort: {{ .number }}, protocol: TCP }
            {{- end }}
          # /livez depends on no other server, so that neither an outage of the database nor an index build restarts a
          # pod.
          startupProbe:
            httpGet: { path: /livez, port: operations }
            periodSeconds: 2
            # Five minutes: a busy machine that starts many pods at once took more than one, and a pod that is killed
            # meanwhile starts from the beginning.
            failureThreshold: 150
          livenessProbe:
            httpGet: { path: /livez, port: operations }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: operations }
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 2
          resources: {{- toYaml ($values.resources | default dict) | nindent 12 }}
          {{- with concat (include "certificate-registry.fileMounts" $mounted | fromYamlArray) ($values.extraVolumeMounts | default list) }}
          volumeMounts: {{- toYaml . | nindent 12 }}
          {{- end }}
        {{- with $values.extraContainers }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with concat $volumes ($values.extraVolumes | default list) }}
      volumes: {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        {{- with $values.topologySpreadConstraints }}
        {{- toYaml . | nindent 8 }}
        {{- else }}
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          # Counts only pods of the same version; otherwise the pods of a rollout end up unevenly spread.
          matchLabelKeys: [pod-template-hash]
          labelSelector:
            matchLabels: {{- include "certificate-registry.selectorLabels" . | nindent 14 }}
        {{- end }}
{{- end -}}

{{/*
Affinity that spreads a service's pods over zones, unless the values have spread constraints. Not such a constraint
itself, because the scheduler ignores all constraints for nodes that lack the label of one. Argument: dict root
component values
*/}}
{{- define "certificate-registry.zoneSpread" -}}
{{- if not .values.topologySpreadConstraints }}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: topology.kubernetes.io/zone
        matchLabelKeys: [pod-template-hash]
        labelSelector:
          matchLabels: {{- include "certificate-registry.selectorLabels" . | nindent 12 }}
{{- end }}
{{- end -}}

{{/* Fails if additional objects have the names of the chart's own. Argument: dict values component own lists */}}
{{- define "certificate-registry.requireOtherNames" -}}
{{- range $list := .lists -}}
{{- range get $.values $list | default list -}}
{{- $name := .name -}}
{{- range $.own }}{{ if eq .name $name }}{{ fail (printf "%s.%s: %s is the name of an object of the chart: choose another one" $.component $list $name) }}{{ end }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
The number of a service's pods, or nothing if only the autoscaler sets it. Argument: dict root component
- A number that was in the last revision and is missing now becomes 1 until the autoscaler acts. So the running number
  is rendered after autoscaling has been switched on, until the autoscaler has changed it and owns the field.
- From then on it must be left out: after the next change, a rollback would conflict with the autoscaler. Ownership
  counts only if the tool applies objects at the server; an older Helm removes a missing field whoever owns it. Flux and
  others have other names than helm: the tool is the one that applies the pods' template.
- Without access to the cluster it is left out too, because tools that apply manifests regularly would undo each change.
*/}}
{{- define "certificate-registry.replicas" -}}
{{- $values := include "certificate-registry.values" . | fromYaml -}}
{{- if not $values.autoscaling.enabled -}}
{{- if not (kindIs "invalid" $values.replicas) }}{{ $values.replicas }}{{ end -}}
{{- else -}}
{{- with lookup "apps/v1" "Deployment" .root.Release.Namespace (include "certificate-registry.name" .) -}}
{{- $applied := false -}}
{{- $scaled := false -}}
{{- range . | dig "metadata" "managedFields" list -}}
{{- if and (eq .operation "Apply") (dig "f:spec" "f:template" nil .fieldsV1 | kindIs "map") }}{{ $applied = true }}{{ end -}}
{{- if and (eq (.subresource | default "") "scale") (dig "f:spec" "f:replicas" nil .fieldsV1 | kindIs "map") }}{{ $scaled = true }}{{ end -}}
{{- end -}}
{{- if not (and $applied $scaled) }}{{ max (int .spec.replicas) (int $values.autoscaling.minReplicas) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}
