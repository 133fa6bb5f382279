{{- define "plimsoll.name" -}}
{{- if contains "plimsoll" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-plimsoll" (.Release.Name | trunc 31) }}{{ end }}
{{- end }}

{{- define "plimsoll.labels" -}}
app.kubernetes.io/name: plimsoll
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "plimsoll.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "plimsoll.name" .) }}
{{- end }}

{{/* What a run makes, watches and removes in the namespace that it uses. */}}
{{- define "plimsoll.runRules" -}}
- apiGroups: [""]
  resources: [pods, secrets, services, persistentvolumeclaims]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [pods/exec, pods/portforward]
  verbs: [get, create]
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
- apiGroups: [""]
  resources: [events]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [resourcequotas, limitranges]
  verbs: [list]
- apiGroups: [snapshot.storage.k8s.io]
  resources: [volumesnapshots]
  verbs: [get, list, watch, create, patch, delete]
{{- end }}
