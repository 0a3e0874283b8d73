import { readFileSync } from 'node:fs'
import { type CountryPlans, parseCountryPlans } from '../../../core/account/country-plan.ts'

const FILE = new URL('../../../../config/lora-regions.json', import.meta.url)

/** The built-in country plans. Throws if the file is missing or inconsistent. */
export const readCountryPlans = (): CountryPlans => parseCountryPlans(JSON.parse(readFileSync(FILE, 'utf8')))
