import { z } from 'zod'
import { timeZoneField } from './application.ts'
import { languageField } from './contact-schema.ts'
import { nameField, phoneField } from './profile-schema.ts'
import { timeZoneNamed } from './time-zone.ts'

/** Bounds of the list: it is read with every alarm. */
const MAX_PEOPLE = 50
const MAX_TURNS = 100

const isDate = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** Further fields of a list as read: ignored, so that it can be sent back, also from a tab of an older console. */
const asRead = z.unknown().optional().meta({ readOnly: true, description: 'As it was read; ignored' })

const personFields = z
  .strictObject({
    id: z.uuid().toLowerCase(),
    name: nameField,
    phone: phoneField,
    language: languageField,
    operatorId: z.uuid().toLowerCase().nullable().default(null),
    disabled: asRead,
    told: asRead,
  })
  .transform(({ disabled: _, told: __, ...person }) => person)

/** An administrator's settings. Overrides have routes of their own. `version`: as it was read. */
export const onCallFields = z
  .strictObject({
    version: z.int().min(0),
    timeZone: z.string().max(64).transform(timeZoneNamed).pipe(timeZoneField).optional(),
    afterMinutes: z.int().min(1).max(240).default(5),
    handOverAt: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 08:00')
      .default('08:00'),
    startsOn: z
      .string()
      .regex(/^20\d\d-\d\d-\d\d$/, 'must be a date such as 2026-11-30')
      .refine(isDate, 'must be a date such as 2026-11-30'),
    everyDays: z.int().min(1).max(31).default(7),
    order: z.array(z.uuid().toLowerCase()).max(MAX_TURNS),
    people: z.array(personFields).max(MAX_PEOPLE),
    overrides: asRead,
    reviewedAt: asRead,
  })
  .superRefine(({ order, people }, context) => {
    const ids = new Set(people.map(({ id }) => id))
    if (ids.size < people.length) context.addIssue({ code: 'custom', path: ['people'], message: 'names an id twice' })
    if (new Set(people.map(({ phone }) => phone)).size < people.length) {
      context.addIssue({ code: 'custom', path: ['people'], message: 'has two people with one number' })
    }
    if (order.some((id) => !ids.has(id))) {
      context.addIssue({ code: 'custom', path: ['order'], message: 'names somebody who is not among `people`' })
    }
  })
  .transform(({ overrides: _, reviewedAt: __, ...given }) => given)

/** Of this century, as `startsOn`: duties far outside cannot be counted in days. */
export const onCallMoment = z.iso
  .datetime({ offset: true })
  .refine((text) => new Date(text).toISOString().startsWith('20'), 'must be a moment of this century')

/** `personId` absent: the caller. `from` absent: now. `until` absent: the next hand-over. */
export const overrideFields = z.strictObject({
  personId: z.uuid().toLowerCase().optional(),
  from: onCallMoment.optional(),
  until: onCallMoment.optional(),
})

export type OnCallGiven = z.infer<typeof onCallFields>
