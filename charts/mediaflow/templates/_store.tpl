{{/* Where the media are. */}}

{{- define "mediaflow.store.fullname" -}}
{{ include "mediaflow.fullname" . }}-store
{{- end -}}

{{- define "mediaflow.store.claim" -}}
{{- default (include "mediaflow.store.fullname" .) .Values.store.pvc.existingClaim -}}
{{- end -}}

{{- define "mediaflow.store.secret" -}}
{{- if eq .Values.store.mode "s3" -}}
{{- .Values.store.s3.existingSecret -}}
{{- else -}}
{{ include "mediaflow.store.fullname" . }}
{{- end -}}
{{- end -}}

{{/* Environment of every process that reads or writes media. */}}
{{- define "mediaflow.store.env" -}}
{{- $store := .Values.store -}}
{{- if eq $store.mode "pvc" }}
- name: MEDIAFLOW_STORE_URL
  value: file:///var/lib/mediaflow/store
{{- else }}
- name: MEDIAFLOW_STORE_URL
  {{- if eq $store.mode "s3" }}
  value: s3://{{ required "store.s3.bucket: which bucket holds the media?" $store.s3.bucket }}{{ with $store.s3.prefix }}/{{ . }}{{ end }}
  {{- else }}
  value: s3://{{ $store.builtin.bucket }}
  {{- end }}
- name: AWS_REGION
  value: {{ $store.s3.region | quote }}
{{- if eq $store.mode "builtin" }}
- name: AWS_ENDPOINT_URL
  value: http://{{ include "mediaflow.store.fullname" . }}:7070
{{- else if $store.s3.endpoint }}
- name: AWS_ENDPOINT_URL
  value: {{ $store.s3.endpoint | quote }}
{{- end }}
{{- with include "mediaflow.store.secret" . }}
- name: AWS_ACCESS_KEY_ID
  valueFrom: { secretKeyRef: { name: {{ . }}, key: AWS_ACCESS_KEY_ID } }
- name: AWS_SECRET_ACCESS_KEY
  valueFrom: { secretKeyRef: { name: {{ . }}, key: AWS_SECRET_ACCESS_KEY } }
{{- end }}
{{- end }}
{{- end -}}

{{- define "mediaflow.store.volumes" -}}
{{- if eq .Values.store.mode "pvc" }}
- name: store
  persistentVolumeClaim: { claimName: {{ include "mediaflow.store.claim" . }} }
{{- end }}
{{- end -}}

{{- define "mediaflow.store.mounts" -}}
{{- if eq .Values.store.mode "pvc" }}
- { name: store, mountPath: /var/lib/mediaflow }
{{- end }}
{{- end -}}
