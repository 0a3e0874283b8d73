import { z } from 'zod'
import { countryCodes } from './country-codes.ts'
import { knowsSub, planNames, planSubs, regionByteSchemes } from './lora-plans.ts'

const assigned: ReadonlySet<string> = new Set(countryCodes)

const overrideSchema = z
  .preprocess(
    (value) => (typeof value === 'string' ? { plan: value } : value),
    z.strictObject(
      {
        plan: z.enum([...planNames, 'none'], `must be one of ${planNames.join(', ')} or none`),
        // YAML reads `sub: 5` as a number.
        sub: z.union([z.string(), z.number().transform(String)], 'must be text').optional(),
        regionByte: z.number().int().min(0).max(255).optional(),
      },
      {
        error: (issue) => (issue.code === 'invalid_type' ? 'must be a plan or { plan, sub?, regionByte? }' : undefined),
      },
    ),
  )
  .superRefine(({ plan, sub, regionByte }, context) => {
    if (plan === 'none') {
      const extra = sub === undefined ? (regionByte === undefined ? null : 'regionByte') : 'sub'
      if (extra !== null) context.addIssue({ code: 'custom', path: [extra], message: 'is only allowed with a plan' })
    } else if (sub !== undefined && !knowsSub(plan, sub)) {
      const known = planSubs[plan].join(', ')
      const message = known === '' ? `${plan} has none` : `must be one of ${known} with ${plan}`
      context.addIssue({ code: 'custom', path: ['sub'], message })
    }
  })

/**
 * `lora.countries`: `{ NZ: AS923-1, JP: { plan: AS923-1, sub: 5 }, LS: none }`, keys in capitals. `none` removes the
 * country's plan; `regionByte` replaces the scheme's number. devices.md#country-plans.
 */
export const loraOverridesSchema = z.record(
  z.string().refine((code) => assigned.has(code)),
  overrideSchema,
  {
    error: (issue) =>
      issue.code === 'invalid_key' ? 'is not an ISO 3166-1 alpha-2 country code in capitals' : undefined,
  },
)

/** The configuration section `lora`. devices.md#country-plans. */
export const loraSettingsSchema = z.strictObject({
  regionByteScheme: z.enum(regionByteSchemes).default('loramacNode'),
  countries: loraOverridesSchema.default({}),
})

export type LoraOverrides = Readonly<z.infer<typeof loraOverridesSchema>>
