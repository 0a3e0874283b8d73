import { z } from 'zod'

/** The actuators that exist today. Towards clients the set is open (protocol.md#snapshot). */
export const actuatorTypes = ['emergency_contacts', 'chat', 'webhook'] as const
export type ActuatorType = (typeof actuatorTypes)[number]

export const chatFormats = ['text', 'slack', 'mattermost', 'discord', 'teams', 'googlechat'] as const

const httpUrl = z.url({ protocol: /^https?$/ }).max(2048)

/**
 * What an operator configures per actuator. One actuator per type per application: the keys of `Actuators`. Whatever is
 * absent is not configured. Escalation settings stand beside it (`Application.settings`), the targets here.
 */
export const actuatorsSchema = z.strictObject({
  emergency_contacts: z.strictObject({ httpUrl: httpUrl.optional() }).optional(),
  chat: z.strictObject({ url: httpUrl, format: z.enum(chatFormats).default('text') }).optional(),
  webhook: z.strictObject({ url: httpUrl, secret: z.string().min(1).max(256).optional() }).optional(),
})

export type Actuators = Readonly<z.infer<typeof actuatorsSchema>>
export type ChatFormat = (typeof chatFormats)[number]
