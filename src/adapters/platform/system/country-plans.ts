import { readFileSync } from 'node:fs'
import { type CountryPlans, parseCountryPlans } from '../../../core/account/country-plan.ts'

const FILE = new URL('../../../../config/lora-regions.json', import.meta.url)

/** The country plans that come with the service. Throws where the file is missing or contradicts itself. */
export const readCountryPlans = (): CountryPlans => parseCountryPlans(JSON.parse(readFileSync(FILE, 'utf8')))
