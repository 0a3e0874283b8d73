// One file: the shapes of applications, users and the site, which share their fields.
import { z } from 'zod'
import { actuatorTypes } from '../../../../../core/account/actuator-types.ts'
import {
  allowedPrefixesSchema,
  mapLinkField,
  originField,
  relayRules,
  timeZoneField,
} from '../../../../../core/account/application.ts'
import { languageField } from '../../../../../core/account/contact-schema.ts'
import { hardwareIdField, modelField, newPairingCodeField } from '../../../../../core/account/pairing-schema.ts'
import { nameField, phoneField } from '../../../../../core/account/profile-schema.ts'
import { silentAfterMinutesField } from '../../../../../core/account/silence.ts'
import { settingsSchema } from '../../../../../core/incident/settings-schema.ts'
import { languages, phraseKeys, textKeys } from '../../../../../core/text/own-texts.ts'
import { verificationSchema } from '../../sdk/contacts.ts'

const moment = z.iso.datetime()
const prefixes = z.array(allowedPrefixesSchema.element).max(100).readonly()
const contact = z.strictObject({ name: nameField, phone: phoneField })
const isGiven = (body: object): boolean => Object.keys(body).length > 0
const NOTHING = 'must name something to change'

export const applicationCreate = z.strictObject({
  name: nameField,
  language: languageField.default('en'),
  legacy: z.boolean().default(false),
  allowedPrefixes: prefixes.default([]),
  timeZone: timeZoneField.nullable().default(null).meta({ description: 'null: as the machine' }),
  verifyContacts: z.boolean().default(true).meta({ description: 'Whether new contacts are asked to confirm' }),
})
export const applicationUpdate = z
  .strictObject({
    name: nameField,
    language: languageField,
    legacy: z.boolean(),
    disabled: z.boolean(),
    allowedPrefixes: prefixes,
    timeZone: timeZoneField.nullable(),
    corsOrigins: z.array(originField).max(100).readonly(),
    fallbackContact: contact.nullable(),
    silentAfterMinutes: silentAfterMinutesField.meta({ description: 'Devices: 0 is off, or 15 to 43200' }),
    verifyContacts: z.boolean().meta({ description: 'Whether new contacts are asked to confirm' }),
    silentByDefault: z.boolean().meta({ description: 'Every new SOS is a silent emergency' }),
    relays: z.enum(relayRules).meta({ description: 'Which users may send for the trackers of others' }),
    mapLink: mapLinkField.nullable().meta({ description: 'Where a tap on a position leads, with {lat} and {lon}' }),
  })
  .partial()
  .refine(isGiven, NOTHING)

const settings = settingsSchema.partial()
export const applicationSchema = z
  .object({
    applicationId: z.uuid(),
    name: z.string(),
    language: z.string(),
    legacy: z.boolean(),
    disabled: z.boolean(),
    createdAt: moment,
    actuators: z.record(z.string(), z.looseObject({})).meta({ description: 'Without secrets' }),
    allowedPrefixes: z.array(z.string()).readonly(),
    timeZone: z.string(),
    corsOrigins: z.array(z.string()).readonly(),
    fallbackContact: contact.nullable(),
    silentAfterMinutes: z.int().meta({ description: 'After how long a device counts as silent; 0 is off' }),
    verifyContacts: z.boolean().meta({ description: 'Whether new contacts are asked to confirm' }),
    silentByDefault: z.boolean().meta({ description: 'Every new SOS is a silent emergency' }),
    relays: z.enum(relayRules).meta({ description: 'Which users may send for the trackers of others' }),
    mapLink: z.string().nullable().meta({ description: 'Null: the built-in map' }),
    texts: z.looseObject({}),
    settings: z.looseObject({}).meta({ description: 'In force' }),
    ownSettings: z.looseObject({}).meta({ description: 'Of them, those set for this application' }),
  })
  .meta({ id: 'OperatorApplication', description: 'An application' })
export const createdSchema = applicationSchema.extend({
  secret: z.string().meta({ description: 'Shown once. For the backend, never for an app' }),
})
export const secretSchema = z.object({
  applicationId: z.uuid(),
  secret: z.string().meta({ description: 'Shown once' }),
})

export const actuatorParams = z.object({ id: z.string(), type: z.enum(actuatorTypes) })
export const actuatorSet = z.strictObject({
  url: z.string().max(2048).optional().meta({ description: 'chat, webhook: where to post to' }),
  format: z.string().max(20).optional().meta({ description: 'chat: text, slack, mattermost, …' }),
  secret: z.string().max(256).nullable().optional().meta({ description: 'webhook: signs each request; null: none' }),
  httpUrl: z
    .string()
    .max(2048)
    .nullable()
    .optional()
    .meta({ description: 'emergency_contacts: a gateway; null: none' }),
  settings: settings.optional().meta({ description: 'Merged into those of the application' }),
})

export const testGiven = z.strictObject({
  channel: z.enum(['sms', 'voice', 'http', 'chat', 'webhook']),
  to: phoneField.optional(),
  language: languageField.optional(),
})
export const testedSchema = z.object({
  channel: z.string(),
  status: z.enum(['sent', 'delivered', 'failed', 'unknown']),
  provider: z.string().nullable(),
  providerRef: z.string().nullable(),
  error: z.string().nullable().meta({ description: 'Why it failed, or why it is unknown whether it was sent' }),
  warnings: z.array(z.string()).readonly(),
})

const language = z.enum(languages as [string, ...string[]])
const key = z.enum(phraseKeys as [string, ...string[]])
export const textsQuery = z.object({ language: language.optional() })
export const textSet = z.strictObject({
  language,
  key: z.enum(textKeys as readonly string[] as [string, ...string[]]),
  text: z.string().max(1000).nullable().meta({ description: 'null: the built-in one again' }),
})
export const textPreview = z.strictObject({ key, text: z.string().max(1000) })
export const textsSchema = z.object({
  items: z.array(
    z.object({
      language: z.string(),
      key: z.string(),
      text: z.string(),
      placeholders: z.array(z.string()).readonly(),
      own: z.boolean(),
    }),
  ),
})
export const textSchema = z.object({
  language: z.string(),
  key: z.string(),
  text: z.string().nullable(),
  own: z.boolean(),
  warnings: z.array(z.string()).readonly(),
})
export const previewSchema = z.object({
  text: z.string().meta({ description: 'With usual values, and the link where an SMS has one' }),
  segments: z.int(),
  encoding: z.enum(['GSM-7', 'UCS-2']),
  warnings: z.array(z.string()).readonly(),
})

export const userSchema = z
  .object({
    id: z.uuid(),
    applicationId: z.uuid(),
    externalUserId: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    address: z.string().nullable(),
    disabled: z.boolean(),
    relay: z.boolean().meta({ description: 'A listed relay' }),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'OperatorUser', description: 'A user' })
export const userDetailSchema = userSchema.extend({
  contacts: z.array(
    z.looseObject({
      id: z.uuid(),
      name: z.string(),
      phone: z.string(),
      verifiedAt: moment.optional(),
      declinedAt: moment.optional(),
      stoppedAt: moment.optional(),
    }),
  ),
  devices: z.array(z.looseObject({ id: z.uuid(), hardwareId: z.string(), pairedAt: moment })),
  openIncident: z.object({ incidentId: z.uuid(), status: z.string(), openedAt: moment }).nullable(),
  lacks: z
    .array(z.enum(['contacts', 'name', 'phone']))
    .readonly()
    .meta({ description: 'What an alarm of this user would lack' }),
})
/** The same as for the user. */
export const contactAskedSchema = verificationSchema
export const contactParams = z.object({ id: z.string(), contactId: z.string() })
export const erasedSchema = z.object({
  userId: z.uuid(),
  clean: z.boolean().meta({ description: 'Nothing is left in the database and its log' }),
  cameBack: z.boolean().meta({ description: 'A phone connected again meanwhile: the user exists again, without data' }),
  remaining: z.array(z.string()).readonly().meta({ description: 'What is left to do by hand' }),
})

export const trackerSchema = z
  .object({
    applicationId: z.uuid(),
    hardwareId: z.string(),
    model: z.string().nullable(),
    userId: z.uuid().nullable(),
    externalUserId: z.string().nullable(),
    pairedAt: moment.nullable(),
    lockedUntil: moment.nullable(),
    silentAfterMinutes: z.int().nullable().meta({ description: '0 is off; null: as its application says' }),
    silentSince: moment.nullable().meta({ description: 'When it was last heard, once it counts as silent' }),
  })
  .meta({ id: 'OperatorTracker', description: 'A registered tracker' })
export const trackerMade = trackerSchema.extend({
  pairingCode: z.string().optional().meta({ description: 'The code that was made. Never shown again' }),
})
export const trackerCreate = z.strictObject({
  applicationId: z.string(),
  hardwareId: hardwareIdField,
  pairingCode: newPairingCodeField.nullable().default(null).meta({ description: 'Absent or null: one is made' }),
  model: modelField.nullable().default(null),
})
export const unpairGiven = z.strictObject({ applicationId: z.string(), hardwareId: hardwareIdField })
export const watchGiven = z.strictObject({
  applicationId: z.string(),
  hardwareId: hardwareIdField,
  silentAfterMinutes: silentAfterMinutesField
    .nullable()
    .meta({ description: '0 is off, or 15 to 43200; null: as its application says' }),
})
export const importQuery = z.object({
  app: z.string().max(100),
  partial: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'Register the valid lines even if others are invalid' }),
})
export const importedSchema = z.object({
  registered: z.int(),
  rejected: z.array(z.object({ line: z.int(), field: z.string().nullable(), message: z.string() })),
})

export const messageSchema = z.object({
  id: z.int(),
  applicationId: z.uuid().nullable(),
  incidentId: z.string().nullable(),
  contactId: z.string().nullable(),
  channel: z.string(),
  to: z.string(),
  text: z.string(),
  createdAt: moment,
})
export const letterSchema = z.object({
  id: z.int(),
  applicationId: z.uuid().nullable(),
  userId: z.string(),
  topic: z.string(),
  reason: z.string(),
  payload: z.string().meta({ description: 'Base64, at most the first 4,096 bytes' }),
  payloadBytes: z.int(),
  receivedAt: moment,
})
export const userFeedbackSchema = z.object({
  id: z.string(),
  applicationId: z.uuid(),
  userId: z.string(),
  externalUserId: z.string(),
  message: z.string(),
  category: z.string().nullable(),
  rating: z.int().nullable(),
  createdAt: moment,
})
const nodeSchema = z.object({
  id: z.string(),
  version: z.string(),
  state: z.enum(['sending', 'draining', 'stopped', 'gone']),
  startedAt: moment,
  leaseUntil: moment,
})
export const nodesSchema = z.object({ items: z.array(nodeSchema) })
export const clockSchema = z.object({
  now: moment.meta({ description: 'What the clock of the service says' }),
  believed: z.boolean(),
  newestMoment: moment.nullable().meta({ description: 'When anything was stored last' }),
  measuredBy: moment.nullable().meta({ description: 'The last moment at which the clock was believed' }),
})
export const clockAcceptedSchema = z.object({ accepted: moment })
export const backupsSchema = z.object({
  isOwn: z.boolean().meta({ description: 'Made by `tocsin backup`; false: with the tools of PostgreSQL, unseen' }),
  last: z.object({ at: moment, bytes: z.int(), verified: z.boolean() }).nullable(),
  isOld: z.boolean().meta({ description: 'None, or none in the last 48 h' }),
})
export const drainGiven = z.strictObject({ draining: z.boolean() })
export const drainedSchema = z.object({
  id: z.string(),
  draining: z.boolean(),
  isAlone: z.boolean().meta({ description: 'No other node is sending, so this one goes on until one does' }),
})
export const simulatedSchema = z.object({ incidentId: z.uuid() })
export const healthSchema = z.object({
  status: z.enum(['ready', 'not ready']),
  reasons: z.array(z.string()).readonly(),
  concerns: z.array(z.string()).readonly(),
  keepsMessages: z.boolean().meta({ description: 'No SMS or call leaves this machine' }),
  figures: z.object({ active: z.int(), acknowledged: z.int(), held: z.int(), deadLetters: z.int() }),
})

const path = z.string().meta({ description: 'On this host' })

export const mapSchema = z.object({
  sources: z
    .object({
      script: path,
      leaflet: path,
      style: path,
      outline: path,
      overlays: path.nullable(),
      basemap: z.object({ script: path, archive: path, maxZoom: z.int() }).nullable(),
      tiles: z.string().nullable().meta({ description: '`map.tileUrl`: on another host' }),
      attribution: z.string().nullable(),
    })
    .nullable()
    .meta({ description: 'What `mount` of the script takes; null if the files of the map cannot be read' }),
})
