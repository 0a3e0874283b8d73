type Tree = Readonly<Record<string, unknown>>
/** A network server as the configuration has it; its secrets as `[secret]`, which keeps them. */
type Server = Tree & { readonly type: string; readonly application: string }
export type Servers = Readonly<Record<string, Server>>

/** The draft of a network server. An empty secret stays as it is. */
export type ServerForm = Readonly<
  Record<'name' | 'type' | 'application' | 'token' | 'profile' | 'mqttUrl' | 'username' | 'password', string>
> & { readonly hasDownlink: boolean }

export const NEW_SERVER: ServerForm = {
  name: '',
  type: 'chirpstack',
  application: '',
  token: '',
  profile: '',
  mqttUrl: '',
  username: '',
  password: '',
  hasDownlink: false,
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)
export const isServers = (value: unknown): value is Servers => isTree(value) && Object.values(value).every(isTree)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export function formOf(name: string, server: Server): ServerForm {
  const mqtt = isTree(server.mqtt) ? server.mqtt : {}
  return {
    ...NEW_SERVER,
    name,
    type: server.type,
    application: server.application,
    profile: textOf(server.profile),
    mqttUrl: textOf(mqtt.url),
    username: textOf(mqtt.username),
    hasDownlink: isTree(server.downlink),
  }
}

/** The server that a form describes. `before`: as it is now; null: a new one. */
export function serverOf(form: ServerForm, before: Server | null): Server {
  const former = isTree(before?.mqtt) ? before.mqtt : {}
  const given = (key: Exclude<keyof ServerForm, 'hasDownlink'>, stored: unknown): unknown => form[key].trim() || stored
  const url = form.mqttUrl.trim()
  const mqtt = { ...former, url, username: form.username.trim() || null, password: given('password', former.password) }
  return {
    ...before,
    type: form.type,
    application: form.application,
    token: given('token', before?.token ?? null),
    profile: form.profile.trim() || null,
    mqtt: form.type === 'chirpstack' && url !== '' ? { ...mqtt, password: mqtt.password ?? null } : null,
    downlink: before?.downlink ?? null,
  }
}
