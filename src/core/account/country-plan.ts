import { z } from 'zod'

/** The officially assigned ISO 3166-1 alpha-2 codes, and XK, the user-assigned code in common use for Kosovo. */
const countryCodes = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF
  CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH
  GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW
  KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG
  NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN
  SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE
  YT ZA ZM ZW`
  .trim()
  .split(/\s+/)

const assigned: ReadonlySet<string> = new Set(countryCodes)

const frequencySubBands = ['FSB1', 'FSB2', 'FSB3', 'FSB4', 'FSB5', 'FSB6', 'FSB7', 'FSB8']

/**
 * Every plan with its known `sub` values: the frequency sub-band of the 64-channel plans, and the channel plan group of
 * AS923 in LoRaMac-node's numbering (5, 6 and 7 are Japan's variants of group 1).
 */
const planSubs = {
  EU868: [],
  US915: frequencySubBands,
  AU915: frequencySubBands,
  'AS923-1': ['1', '5', '6', '7'],
  'AS923-2': ['2'],
  'AS923-3': ['3'],
  'AS923-4': ['4'],
  KR920: [],
  IN865: [],
  RU864: [],
  EU433: [],
  CN470: [],
  CN779: [],
} as const satisfies Record<string, readonly string[]>

export type PlanName = keyof typeof planSubs
export const planNames = Object.keys(planSubs) as PlanName[]

/** The numbering schemes for the region byte: `lora.regionByteScheme`. `meta.idEnumerations` gives their sources. */
export const regionByteSchemes = [
  'loramacNode',
  'lorawanPlanId',
  'basicsModem',
  'rui3',
  'dragino',
  'chirpstack',
  'helium',
  'mcciLmic',
  'meshtastic',
] as const
export type RegionByteScheme = (typeof regionByteSchemes)[number]

const knowsSub = (plan: PlanName, sub: string): boolean => planSubs[plan].some((known) => known === sub)

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

type CountryEntry = Readonly<z.infer<typeof countrySchema>>
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

const overrideSchema = z
  .preprocess(
    (value) => (typeof value === 'string' ? { plan: value } : value),
    z.strictObject(
      {
        plan: z.enum([...planNames, 'none'], `must be one of ${planNames.join(', ')} or none`),
        // YAML reads `sub: 5` as a number.
        sub: z.union([z.string(), z.number().transform(String)], 'must be text').optional(),
        regionByte: byte.optional(),
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
 * country's plan; `regionByte` replaces the scheme's number. rules.md#country-plans.
 */
export const loraOverridesSchema = z.record(
  z.string().refine((code) => assigned.has(code)),
  overrideSchema,
  {
    error: (issue) =>
      issue.code === 'invalid_key' ? 'is not an ISO 3166-1 alpha-2 country code in capitals' : undefined,
  },
)

/** The configuration section `lora`. rules.md#country-plans. */
export const loraSettingsSchema = z.strictObject({
  regionByteScheme: z.enum(regionByteSchemes).default('loramacNode'),
  countries: loraOverridesSchema.default({}),
})

export type LoraOverrides = Readonly<z.infer<typeof loraOverridesSchema>>

/** The response of `GET /config/device/{country}`. rules.md#country-plans. */
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

/**
 * The plan of a country, given as an ISO 3166-1 alpha-2 code in either case. The refusal `no_plan` also covers a region
 * without a number in the chosen scheme: the byte goes into a radio, and a missing one read as 0 would name another
 * band. rules.md#country-plans.
 */
export function countryPlan(
  plans: CountryPlans,
  country: string,
  { scheme, overrides }: { readonly scheme: RegionByteScheme; readonly overrides: LoraOverrides },
): CountryPlanView | { readonly refused: 'not_a_country' | 'no_plan' } {
  // Check the shape first: toUpperCase turns 'ß' into SS and a ligature into FI.
  const code = /^[A-Za-z]{2}$/.test(country) ? country.toUpperCase() : null
  const stated = code === null ? undefined : plans.countries[code]
  if (code === null || stated === undefined) return { refused: 'not_a_country' }
  const override = overrides[code]
  const plan = override === undefined ? stated.plan : override.plan === 'none' ? null : override.plan
  if (plan === null) return { refused: 'no_plan' }
  const region = plans.regions[plan]
  const regionByte = override?.regionByte ?? region.ids[scheme]
  if (regionByte === null) return { refused: 'no_plan' }
  const sub = override === undefined ? stated.sub : (override.sub ?? usualSub(region))
  return {
    country: code,
    regionCode: plan,
    regionByte,
    loraRegionByte: regionByte,
    sub,
    deviceConfig: { ...region, regionByte },
    raw: override === undefined ? stated : overridden(stated, plan, sub),
  }
}

const usualSub = (region: CountryPlans['regions'][PlanName]): string | null =>
  region.defaultSub ?? region.ids.loramacNodeSub?.toString() ?? null

const overridden = (stated: CountryEntry, plan: PlanName, sub: string | null): CountryPlanView['raw'] => ({
  plan,
  sub,
  alternatives: [],
  confidence: 'operator',
  sources: ['lora.countries'],
  replaces: stated,
})
