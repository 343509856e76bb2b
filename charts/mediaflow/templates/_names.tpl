{{/* Names and labels. */}}

{{- define "mediaflow.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* The release's own name; short enough for a suffix behind it (a label holds 63 characters). */}}
{{- define "mediaflow.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "mediaflow.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "mediaflow.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that never change in a resource's life. Call with (dict "root" $ "component" "ingest"). */}}
{{- define "mediaflow.selector" -}}
app.kubernetes.io/name: {{ include "mediaflow.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- with .channel }}
mediaflow.io/channel: {{ . }}
{{- end }}
{{- end -}}

{{- define "mediaflow.labels" -}}
{{ include "mediaflow.selector" . }}
app.kubernetes.io/part-of: mediaflow
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels of pods: nothing that changes with the chart's version, or each upgrade would start all pods anew. */}}
{{- define "mediaflow.podLabels" -}}
{{ include "mediaflow.selector" . }}
app.kubernetes.io/part-of: mediaflow
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Image of a service of the fleet. Call with (dict "root" $ "name" "ingest"). */}}
{{- define "mediaflow.image" -}}
{{- $image := .root.Values.image -}}
{{- with $image.registry }}{{ trimSuffix "/" . }}/{{ end -}}
mediaflow-{{ .name }}:{{ default .root.Chart.AppVersion $image.tag }}
{{- end -}}

{{/* Whether ScaledObjects are rendered: "true" or "". */}}
{{- define "mediaflow.keda" -}}
{{- $wish := toString .Values.keda.enabled -}}
{{- if or (eq $wish "true") (and (eq $wish "auto") (.Capabilities.APIVersions.Has "keda.sh/v1alpha1/ScaledObject")) -}}true{{- end -}}
{{- end -}}
