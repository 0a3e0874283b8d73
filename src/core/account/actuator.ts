import { z } from 'zod'
import { isStorable, NOT_STORABLE } from '../ingest/fields.ts'
import { settingsSchema } from './settings-schema.ts'

export const chatFormats = ['text', 'slack', 'mattermost', 'discord', 'teams', 'googlechat'] as const

const httpUrl = z.url({ protocol: /^https?$/ }).max(2048)

/** HTTP settings of one chat or webhook actuator; absent ones come from `Application.settings`. rules.md#settings. */
const ownRules = settingsSchema
  .pick({ httpAttempts: true, httpBackoffSeconds: true, httpTimeoutSeconds: true })
  .partial().shape

/**
 * An operator's configuration of the actuators of one application: at most one per type, absent if not configured. It
 * holds the targets; the escalation settings are separate (`Application.settings`).
 */
export const actuatorsSchema = z.strictObject({
  emergency_contacts: z.strictObject({ httpUrl: httpUrl.optional() }).optional(),
  chat: z.strictObject({ url: httpUrl, format: z.enum(chatFormats).default('text'), ...ownRules }).optional(),
  webhook: z
    .strictObject({
      url: httpUrl,
      secret: z.string().min(1).max(256).refine(isStorable, NOT_STORABLE).optional(),
      ...ownRules,
    })
    .optional(),
})

export type Actuators = Readonly<z.infer<typeof actuatorsSchema>>
export type ChatFormat = (typeof chatFormats)[number]
