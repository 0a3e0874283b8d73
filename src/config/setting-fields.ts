import { z } from 'zod'
import type { Settings } from '../core/incident/settings.ts'
import { settingsSchema } from '../core/incident/settings-schema.ts'
import { onOff } from './fields.ts'

type SettingFields = { readonly [K in keyof Settings]: z.ZodType<Settings[K]> }

const entries = Object.entries<z.ZodType>(settingsSchema.shape).map(([name, field]): [string, z.ZodType] => [
  name,
  field instanceof z.ZodBoolean ? onOff : field,
])

/**
 * The escalation settings as an operator writes them: those of the core, with on and off for booleans.
 * rules.md#settings.
 */
export const settingFields = Object.fromEntries(entries) as SettingFields
export const settingNames = Object.keys(settingsSchema.shape) as (keyof Settings)[]
