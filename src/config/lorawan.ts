import { z } from 'zod'
import { profileNameOf, uplinkProfilesSchema } from '../core/field/lorawan/profile.ts'
import { shippedProfiles } from '../core/field/lorawan/shipped.ts'
import { isJsonObject } from '../core/ingest/json.ts'
import { baseUrl, choice, optional, secretOf, section, text } from './fields.ts'

const NAME = /^[\w.-]{1,64}$/
const MIN_TOKEN_LENGTH = 16

/** The listener at this address may not be a broker, and may read each line as a command. */
const line = text.regex(/^\P{Cc}*$/u, 'must be one line')

/** The MQTT broker on which ChirpStack publishes its events. */
const mqttSchema = z.strictObject({
  url: text.regex(/^mqtts?:\/\/[^@]+$/, 'must begin with mqtt:// or mqtts://, without user and password'),
  username: optional(line),
  password: optional(secretOf(line)),
  topic: line.regex(/\/event\/\+$/, 'must end with /event/+').default('application/+/device/+/event/+'),
})

/** The queue of messages to trackers. The Things Stack: through a webhook. ChirpStack: its REST API. */
const downlinkSchema = z.strictObject({
  url: baseUrl,
  key: secretOf(text),
  webhook: optional(text.regex(/^[a-z0-9](?:-?[a-z0-9])*$/, 'must be the id of the webhook')),
})

const serverSchema = z
  .strictObject({
    type: choice(['chirpstack', 'tts']),
    application: z.uuid('must be the id of an application: tocsin app list'),
    token: optional(secretOf(text.min(MIN_TOKEN_LENGTH, `must have at least ${MIN_TOKEN_LENGTH} characters`))),
    profile: optional(text.transform(profileNameOf)),
    mqtt: optional(mqttSchema),
    downlink: optional(downlinkSchema),
  })
  .superRefine(({ type, token, mqtt, downlink }, context) => {
    if (downlink !== null && (downlink.webhook === null) === (type === 'tts')) {
      const message = type === 'tts' ? 'is required: the id of the webhook' : 'is only for The Things Stack'
      context.addIssue({ code: 'custom', path: ['downlink', 'webhook'], message })
    }
    if (mqtt !== null && type !== 'chirpstack') {
      const message = 'is only for ChirpStack: the MQTT server of The Things Stack loses what it cannot deliver at once'
      context.addIssue({ code: 'custom', path: ['mqtt'], message })
    }
    if (mqtt === null && token === null) {
      context.addIssue({ code: 'custom', path: ['token'], message: 'is required, or mqtt' })
    }
  })

const servers = z.record(z.string().regex(NAME), serverSchema, {
  error: (issue) =>
    issue.code === 'invalid_key'
      ? 'is not a valid name: use letters, digits, dots, hyphens and underscores'
      : 'must be a mapping',
})

/**
 * The profiles by their names in lower case, as they are looked up. A profile with a shipped one's name inherits the
 * keys that it leaves out: an SOS is never lost by accident.
 */
function overShipped(profiles: unknown, context: z.core.$RefinementCtx): unknown {
  if (!isJsonObject(profiles)) return profiles
  const found = new Map<string, unknown>()
  for (const [written, own] of Object.entries(profiles)) {
    const name = profileNameOf(written)
    if (found.has(name)) context.addIssue({ code: 'custom', path: [written], message: `is there twice: ${name}` })
    const shipped = Object.hasOwn(shippedProfiles, name) ? shippedProfiles[name] : undefined
    const isOver = shipped !== undefined && isJsonObject(own)
    const sos = isOver && isJsonObject(own.sos) ? { sos: { ...shipped.sos, ...own.sos } } : {}
    found.set(name, isOver ? { ...shipped, ...own, ...sos } : own)
  }
  return Object.fromEntries(found)
}

/** LoRaWAN network servers by name, and the profiles of trackers by model. lorawan.md. */
export const lorawanSection = section({
  servers: servers.default({}),
  profiles: z.preprocess(overShipped, uplinkProfilesSchema).default({}),
})

/** The profiles that servers name and that do not exist, each with its key. */
export const missingProfiles = ({
  servers,
  profiles,
}: z.output<typeof lorawanSection>): readonly { readonly key: string; readonly message: string }[] =>
  Object.entries(servers).flatMap(([name, { profile }]) => {
    if (profile === null || Object.hasOwn(profiles, profile) || Object.hasOwn(shippedProfiles, profile)) return []
    const known = [...Object.keys(shippedProfiles), ...Object.keys(profiles)].join(', ')
    return [{ key: `lorawan.servers.${name}.profile`, message: `is not a profile; the profiles are ${known}` }]
  })
