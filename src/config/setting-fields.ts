import { z } from 'zod'
import { type Settings, settingsSchema } from '../core/incident/settings.ts'
import { onOff } from './fields.ts'

type SettingFields = { readonly [K in keyof Settings]: z.ZodType<Settings[K]> }

const entries = Object.entries<z.ZodType>(settingsSchema.shape).map(([name, field]): [string, z.ZodType] => [
  name,
  field instanceof z.ZodBoolean ? onOff : field,
])

/**
 * The settings of escalation as an operator writes them: as the core has them, with on and off for its yes and
 * no. rules.md#settings.
 */
export const settingFields = Object.fromEntries(entries) as SettingFields
export const settingNames = Object.keys(settingsSchema.shape) as (keyof Settings)[]
