{{/* Where the broker is, and who may talk to it. Credentials stand in one Secret with the keys username and password; with
     mode external the whole addresses stand in the user's own Secret. */}}

{{- define "mediaflow.rabbitmq.fullname" -}}
{{ include "mediaflow.fullname" . }}-rabbitmq
{{- end -}}

{{/* The Secret with `username` and `password`. */}}
{{- define "mediaflow.rabbitmq.secret" -}}
{{- if eq .Values.rabbitmq.mode "external" -}}
{{- required "rabbitmq.external.existingSecret: name the Secret with amqp-url, management-url, username and password" .Values.rabbitmq.external.existingSecret -}}
{{- else if eq .Values.rabbitmq.mode "operator" -}}
{{ include "mediaflow.rabbitmq.fullname" . }}-default-user
{{- else -}}
{{ include "mediaflow.rabbitmq.fullname" . }}
{{- end -}}
{{- end -}}

{{- define "mediaflow.rabbitmq.vhost" -}}
{{- if eq .Values.rabbitmq.mode "external" }}{{ .Values.rabbitmq.external.vhost }}{{ else }}/{{ end -}}
{{- end -}}

{{/* Management API without login: http://host:15672 */}}
{{- define "mediaflow.rabbitmq.managementHost" -}}
{{- if eq .Values.rabbitmq.mode "external" -}}
{{- required "rabbitmq.external.managementHost: where is the management API, without login? (http://host:15672)" .Values.rabbitmq.external.managementHost -}}
{{- else -}}
http://{{ include "mediaflow.rabbitmq.fullname" . }}.{{ .Release.Namespace }}.svc:15672
{{- end -}}
{{- end -}}

{{/* Environment of every process that talks to the broker. The kubelet puts the credentials into the addresses. */}}
{{- define "mediaflow.rabbitmq.env" -}}
{{- $secret := include "mediaflow.rabbitmq.secret" . -}}
{{- if eq .Values.rabbitmq.mode "external" }}
- name: AMQP_URL
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: amqp-url } }
- name: MEDIAFLOW_MANAGEMENT_URL
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: management-url } }
{{- else }}
- name: RABBITMQ_USERNAME
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: username } }
- name: RABBITMQ_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: password } }
- name: AMQP_URL
  value: amqp://$(RABBITMQ_USERNAME):$(RABBITMQ_PASSWORD)@{{ include "mediaflow.rabbitmq.fullname" . }}:5672/%2F
- name: MEDIAFLOW_MANAGEMENT_URL
  value: http://$(RABBITMQ_USERNAME):$(RABBITMQ_PASSWORD)@{{ include "mediaflow.rabbitmq.fullname" . }}:15672
{{- end }}
{{- end -}}
