{{/* What all pods of the fleet have in common.

     Besides what is defined here, every pod says `enableServiceLinks: false`. With them Kubernetes would put variables like
     MEDIAFLOW_INGEST_PORT=tcp://… into each container, made of the names of Services, and the fleet's processes refuse
     settings that they don't know. */}}

{{/* Pod Security "restricted". The images run as this user. */}}
{{- define "mediaflow.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "mediaflow.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Environment of every process: where it finds the rest of the fleet and how it speaks. */}}
{{- define "mediaflow.env" -}}
- name: MEDIAFLOW_CHANNELS
  value: /etc/mediaflow/channels.toml
- name: MEDIAFLOW_PROFILE
  value: {{ .Values.profile }}
- name: MEDIAFLOW_LOG_FORMAT
  value: {{ .Values.log.format }}
- name: MEDIAFLOW_LOG_LEVEL
  value: {{ .Values.log.level }}
{{ include "mediaflow.rabbitmq.env" . | trim }}
{{ include "mediaflow.store.env" . | trim }}
{{ include "mediaflow.trust.env" . | trim }}
{{- end -}}

{{/* Environment of a values entry: a map of names and values. */}}
{{- define "mediaflow.extraEnv" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* The chart's environment with the user's over it: a name may stand in a pod once only. Call with (dict "own" <text of a
     list> "user" <map of names and values>). */}}
{{- define "mediaflow.envWith" -}}
{{- $kept := list -}}
{{- range fromYamlArray .own -}}
{{- if not (hasKey $.user .name) }}{{ $kept = append $kept . }}{{ end -}}
{{- end -}}
{{ toYaml $kept }}
{{- include "mediaflow.extraEnv" .user -}}
{{- end -}}

{{/* Where the pods of a service may be put. Call with the service's values. */}}
{{- define "mediaflow.placement" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "mediaflow.volumes" -}}
- name: channels
  configMap: { name: {{ include "mediaflow.fullname" . }}-channels }
- name: tmp
  emptyDir: {}
{{ include "mediaflow.store.volumes" . | trim }}
{{ include "mediaflow.trust.volumes" . | trim }}
{{- end -}}

{{- define "mediaflow.mounts" -}}
- { name: channels, mountPath: /etc/mediaflow, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{ include "mediaflow.store.mounts" . | trim }}
{{ include "mediaflow.trust.mounts" . | trim }}
{{- end -}}

{{- define "mediaflow.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Prefer different nodes for the pods of one service. Call with (dict "root" $ "component" … "channel" …). */}}
{{- define "mediaflow.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "mediaflow.selector" . | nindent 8 }}
{{- end -}}
