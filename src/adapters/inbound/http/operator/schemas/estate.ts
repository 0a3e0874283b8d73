// One file: the shapes of applications, users and the site, which share their fields.
import { z } from 'zod'
import { hardwareIdField, modelField, newPairingCodeField } from '../../../../../core/account/pairing-schema.ts'
import { silentAfterMinutesField } from '../../../../../core/account/silence.ts'

const moment = z.iso.datetime()
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
