import { z } from 'zod'
import { languageField } from '../../../../core/account/contact-schema.ts'
import { phoneField } from '../../../../core/account/profile-schema.ts'
import { textChannels } from '../../../../core/incident/delivery.ts'

export const setupMoment = z.iso.datetime()

const settingSchema = z
  .object({
    key: z.string().meta({ description: 'As in the configuration file' }),
    section: z.string().meta({ description: 'The part of the setup; of a provider: `provider/` and its name' }),
    guarded: z.boolean().meta({ description: 'A change needs the password and a code in `proof`' }),
    source: z
      .enum(['default', 'console', 'file', 'environment'])
      .meta({ description: 'file, environment: it wins, and can only be changed there' }),
    value: z.unknown().meta({ description: 'In force on this node. Null for a secret; in a mapping `[secret]`' }),
    secret: z.boolean(),
    set: z.boolean(),
    overridden: z
      .boolean()
      .meta({ description: 'The console has a value, too, which does not count while `source` sets one' }),
    problem: z.string().nullable().meta({ description: 'Why the stored value does not count on this node' }),
    changedAt: setupMoment.nullable(),
    changedBy: z.string().nullable(),
  })
  .meta({ id: 'SetupSetting', description: 'A key of the configuration that can be set in the console' })

const providerSchema = z
  .object({
    provider: z.string(),
    place: z.int().nullable().meta({ description: 'From 1, in the order of sending. Null: not in use' }),
    problem: z.string().nullable().meta({ description: 'Why this node cannot use it' }),
  })
  .meta({ id: 'SetupProvider', description: 'A way to send SMS and calls' })

const certificateSchema = z
  .object({
    source: z
      .enum(['local', 'acme', 'operator'])
      .meta({ description: 'local: of the local CA; acme: of a public one; operator: `tls.cert` or `tls.pem`' }),
    names: z.array(z.string()).readonly(),
    validTo: setupMoment,
    concerns: z.array(z.string()).readonly().meta({ description: 'What is wrong with it, as sentences' }),
  })
  .meta({ id: 'SetupCertificate', description: 'The certificate that clients get who ask for one of its names' })

const changeSchema = z
  .object({
    id: z.uuid(),
    at: setupMoment,
    author: z.string(),
    section: z.string(),
    keys: z.array(z.string()).readonly(),
    canUndo: z.boolean().meta({ description: 'None of its keys has changed since' }),
  })
  .meta({ id: 'SetupChange', description: 'A change of the last seven days' })

export const setupNewsSchema = z
  .object({
    changes: z
      .array(changeSchema.omit({ canUndo: true, keys: true }).meta({ id: 'SetupGuardedChange' }))
      .readonly()
      .meta({ description: 'Newest first, at most 100' }),
  })
  .meta({ id: 'SetupNews', description: 'What can have redirected alarms' })

export const siteSetupSchema = z
  .object({
    settings: z.array(settingSchema).readonly(),
    providers: z.array(providerSchema).readonly(),
    certificate: certificateSchema.nullable().meta({ description: 'On this node. Null where no listener uses TLS' }),
    changes: z.array(changeSchema).readonly().meta({ description: 'Newest first' }),
    mapFiles: z.array(z.string()).readonly().meta({ description: 'PMTiles files in the data directory of this node' }),
    overlayFiles: z
      .array(z.string())
      .readonly()
      .meta({ description: 'GeoJSON files in the data directory of this node' }),
    onlyInFile: z
      .array(z.object({ why: z.string(), keys: z.array(z.string()).readonly() }))
      .readonly()
      .meta({ description: 'Keys that only the file or the environment sets, by the reason' }),
    keyTrouble: z.string().nullable().meta({ description: 'Why this node can store no secret' }),
  })
  .meta({ id: 'Setup', description: 'What is set up, and where' })

/** How deep a value may be nested; a network server's is the deepest, with four levels. */
const MAX_DEPTH = 8

/** Level by level: a walk that calls itself would exhaust the stack. */
function isFlat(value: unknown): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    if (level.length === 0) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}

const values = z
  .record(z.string().max(100), z.unknown())
  .refine((given) => Object.keys(given).length <= 50, 'must not have more than 50 keys')
  .refine(isFlat, 'must not be nested so deeply')
  .meta({ description: 'By key. Null takes a value away; `[secret]` keeps the stored one' })
const proof = z
  .strictObject({ password: z.string().max(200), code: z.string().max(40) })
  .optional()
  .meta({ description: 'For guarded keys: the password and a code of the authenticator app' })

export const setupChangeFields = z.strictObject({
  values: values.refine((given) => Object.keys(given).length > 0, 'names nothing to change'),
  proof,
})
export const providerTestFields = z.strictObject({
  values,
  to: phoneField,
  channel: z.enum(textChannels).default('sms').meta({ description: 'voice: a call says the code, digit by digit' }),
  language: languageField.default('en'),
  proof,
})
const read = { ticket: z.string().max(2000), code: z.string().max(40) }
export const providerConfirmFields = z.strictObject({
  values,
  ...read,
  call: z.strictObject(read).optional().meta({ description: 'The test call, besides the text' }),
  proof,
})
export const providerRemoveFields = z.strictObject({ proof })
export const setupUndoFields = z.strictObject({ change: z.string().max(100), proof })

export const exampleChange = {
  change: '0197f6a0-1c2d-7e3f-8a4b-0000000000e1',
  proof: { password: 'correct horse battery', code: '123456' },
  values: { 'twilio.accountSid': 'AC0001', 'twilio.authToken': 'a-long-random-text', 'twilio.from': '+12025550123' },
}
export const exampleSetupNews = {
  changes: [{ id: exampleChange.change, at: '2026-05-01T14:08:12.000Z', author: 'Ana', section: 'address' }],
}
export const exampleSiteSetup = {
  settings: [
    {
      key: 'publicUrl',
      section: 'address',
      guarded: true,
      source: 'console' as const,
      value: 'https://sos.example.org',
      secret: false,
      set: true,
      overridden: false,
      problem: null,
      changedAt: '2026-05-01T14:08:12.000Z',
      changedBy: 'Ana',
    },
  ],
  providers: [{ provider: 'twilio', place: 1, problem: null }],
  certificate: {
    source: 'acme' as const,
    names: ['sos.example.org'],
    validTo: '2026-07-30T14:08:12.000Z',
    concerns: [],
  },
  changes: [
    {
      id: exampleChange.change,
      at: '2026-05-01T14:08:12.000Z',
      author: 'Ana',
      section: 'address',
      keys: ['publicUrl'],
      canUndo: true,
    },
  ],
  mapFiles: ['alps.pmtiles'],
  overlayFiles: ['huts.geojson'],
  onlyInFile: [{ why: 'start', keys: ['dataDir', 'store'] }],
  keyTrouble: null,
}
