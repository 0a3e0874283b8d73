import { z } from 'zod'
import { countryCodes } from './country-codes.ts'
import { knowsSub, planNames, regionByteSchemes } from './lora-plans.ts'

const byte = z.number().int().min(0).max(255)
const planField = z.enum(planNames)
const confidences = ['high', 'medium', 'medium-conflict', 'low', 'none'] as const

// Loose: radio parameters are passed on unchanged. Only those that every region has are listed.
const regionSchema = z.looseObject({
  commonName: z.string(),
  /** The region's number in each scheme; null if the scheme has none. */
  ids: z.record(z.enum([...regionByteSchemes, 'loramacNodeSub']), byte.nullable()),
  regionByte: byte,
  freqMHz: z.tuple([z.number(), z.number()]),
  rx2: z.looseObject({ dr: byte }),
  maxEirpDbm: z.number(),
  /** Milliseconds; null means no limit. */
  dwellTimeMs: z.number().nullable(),
  defaultUplinkDr: byte,
  dataRates: z.array(z.strictObject({ dr: byte, sf: byte, bwKHz: z.number(), maxMacPayload: byte })).min(1),
  defaultSub: z.string().optional(),
})

const countrySchema = z.strictObject({
  plan: planField.nullable(),
  sub: z.string().nullable(),
  alternatives: z.array(planField),
  confidence: z.enum(confidences),
  sources: z.array(z.string()).optional(),
  /** Plans according to other sources, as `source:plan`. */
  conflicts: z.array(z.string()).optional(),
  hints: z.array(z.string()).optional(),
  heliumSub: z.string().optional(),
  heliumVariant: z.string().optional(),
})

const countryPlansSchema = z
  .strictObject({
    meta: z.looseObject({
      idEnumerations: z.record(z.enum(regionByteSchemes), z.string()),
      confidence: z.record(z.enum(confidences), z.string()),
      sources: z.array(z.string()),
      disclaimer: z.string(),
    }),
    regions: z.record(planField, regionSchema),
    countries: z.record(z.enum(countryCodes), countrySchema),
  })
  .superRefine(({ regions, countries }, context) => {
    const report = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    for (const [plan, region] of Object.entries(regions)) {
      if (region.regionByte !== region.ids.loramacNode)
        report(['regions', plan, 'regionByte'], 'must be ids.loramacNode')
    }
    for (const [code, entry] of Object.entries(countries)) {
      const at = ['countries', code]
      if ((entry.plan === null) !== (entry.confidence === 'none')) {
        report([...at, 'confidence'], 'must be none if, and only if, there is no plan')
      }
      if (entry.sub !== null && (entry.plan === null || !knowsSub(entry.plan, entry.sub))) {
        report([...at, 'sub'], `is not defined by ${entry.plan ?? 'a country without a plan'}`)
      }
    }
  })

export type CountryEntry = Readonly<z.infer<typeof countrySchema>>
export type CountryPlans = Readonly<z.infer<typeof countryPlansSchema>>

/**
 * Parses the content of `config/lora-regions.json`, which has an entry for every assigned code. The file ships with the
 * service, so any mistake in it is a fault: throws an Error that names the mistakes by their paths.
 */
export function parseCountryPlans(json: unknown): CountryPlans {
  const parsed = countryPlansSchema.safeParse(json)
  if (parsed.success) return parsed.data
  throw new Error(`country plans: ${z.prettifyError(parsed.error)}`, { cause: parsed.error })
}

/** The response of `GET /config/device/{country}`. devices.md#country-plans. */
export const countryPlanViewSchema = z.object({
  country: z.string().length(2),
  /** The plan's name as the data spells it. */
  regionCode: planField,
  regionByte: byte,
  loraRegionByte: byte,
  sub: z.string().nullable(),
  /** The region's entry, with the same `regionByte` as above, whichever scheme is chosen. */
  deviceConfig: regionSchema,
  /**
   * The country's entry. If the operator overrode it, its confidence is `operator` and it `replaces` the original
   * entry.
   */
  raw: countrySchema.extend({ confidence: z.enum([...confidences, 'operator']), replaces: countrySchema.optional() }),
})

export type CountryPlanView = Readonly<z.infer<typeof countryPlanViewSchema>>
