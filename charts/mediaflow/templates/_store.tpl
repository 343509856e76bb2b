{{/* Where the media are. */}}

{{- define "mediaflow.store.fullname" -}}
{{ include "mediaflow.fullname" . }}-store
{{- end -}}

{{- define "mediaflow.store.claim" -}}
{{- default (include "mediaflow.store.fullname" .) .Values.store.pvc.existingClaim -}}
{{- end -}}

{{/* The Secret with the keys of the bucket; "" where the pods' own identity has the right to it (IRSA and its kind). */}}
{{- define "mediaflow.store.secret" -}}
{{- if eq .Values.store.mode "s3" -}}
{{- .Values.store.s3.existingSecret -}}
{{- else if eq .Values.store.mode "builtin" -}}
{{- default (include "mediaflow.store.fullname" .) .Values.store.builtin.existingSecret -}}
{{- end -}}
{{- end -}}

{{/* How ingest hands out what an S3 store holds: by an address of the store, or itself, where clients can't reach that. */}}
{{- define "mediaflow.store.serveOutputs" -}}
{{- if eq .Values.store.mode "s3" }}{{ .Values.store.s3.serveOutputs }}{{ else }}proxy{{ end -}}
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
  value: s3://{{ required "store.s3.bucket: which bucket holds the media?" $store.s3.bucket }}{{ with $store.s3.prefix }}/{{ trimAll "/" . }}{{ end }}
  {{- else }}
  value: s3://{{ $store.builtin.bucket }}
  {{- end }}
- name: AWS_REGION
  value: {{ ternary $store.s3.region "us-east-1" (eq $store.mode "s3") | quote }}
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

{{/* One certificate bundle for the broker and the store, beside the system's own. Python's and the store driver's TLS both
     read these two variables. */}}
{{- define "mediaflow.trust.env" -}}
{{- if .Values.trust.existingSecret }}
- name: SSL_CERT_FILE
  value: /etc/mediaflow-trust/{{ .Values.trust.key }}
- name: SSL_CERT_DIR
  value: /etc/ssl/certs
{{- end }}
{{- end -}}

{{- define "mediaflow.trust.volumes" -}}
{{- with .Values.trust.existingSecret }}
- name: trust
  secret: { secretName: {{ . }} }
{{- end }}
{{- end -}}

{{- define "mediaflow.trust.mounts" -}}
{{- if .Values.trust.existingSecret }}
- { name: trust, mountPath: /etc/mediaflow-trust, readOnly: true }
{{- end }}
{{- end -}}
