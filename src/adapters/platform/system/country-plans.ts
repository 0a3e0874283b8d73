import { readFileSync } from 'node:fs'
import { type CountryPlans, parseCountryPlans } from '../../../core/account/country-plan-schema.ts'
import { fileOf } from '../../../lib/installation.ts'

const FILE = fileOf('config/lora-regions.json')

let plans: CountryPlans | null = null

/**
 * The built-in country plans, read on first use because checking them takes some 20 ms. Throws if the file is missing
 * or inconsistent.
 */
export function countryPlans(): CountryPlans {
  plans ??= parseCountryPlans(JSON.parse(readFileSync(FILE, 'utf8')))
  return plans
}
