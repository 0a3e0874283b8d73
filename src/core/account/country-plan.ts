import type { CountryEntry, CountryPlans, CountryPlanView } from './country-plan-schema.ts'
import type { PlanName, RegionByteScheme } from './lora-plans.ts'
import type { LoraOverrides } from './lora-settings.ts'

/**
 * The plan of a country, given as an ISO 3166-1 alpha-2 code in either case. The refusal `no_plan` also covers a region
 * without a number in the chosen scheme: the byte goes into a radio, and a missing one read as 0 would name another
 * band. devices.md#country-plans.
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
