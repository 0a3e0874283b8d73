import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { countryPlan } from '../../../src/core/account/country-plan.ts'
import {
  type CountryPlans,
  countryPlanViewSchema,
  parseCountryPlans,
} from '../../../src/core/account/country-plan-schema.ts'
import {
  type PlanName,
  planNames,
  type RegionByteScheme,
  regionByteSchemes,
} from '../../../src/core/account/lora-plans.ts'
import { loraOverridesSchema, loraSettingsSchema } from '../../../src/core/account/lora-settings.ts'
import fc, { anyText } from '../../harness/fast-check.ts'

const file: CountryPlans = JSON.parse(
  readFileSync(new URL('../../../config/lora-regions.json', import.meta.url), 'utf8'),
)
const plans = parseCountryPlans(file)
const codes = Object.keys(file.countries)

function entryOf({ countries }: CountryPlans, code: string) {
  const entry = countries[code]
  assert.ok(entry !== undefined, `the file has no ${code}`)
  return entry
}

const shipped = { scheme: 'loramacNode', overrides: {} } as const
const by = (scheme: RegionByteScheme) => ({ scheme, overrides: {} })
const overriding = (overrides: unknown) => ({ ...shipped, overrides: loraOverridesSchema.parse(overrides) })

function planOf(country: string, choice: Parameters<typeof countryPlan>[2] = shipped) {
  const view = countryPlan(plans, country, choice)
  assert.ok(!('refused' in view), `${country} was refused`)
  return view
}

const faultsOf = (overrides: unknown): readonly string[] =>
  (loraSettingsSchema.safeParse({ countries: overrides }).error?.issues ?? []).map(
    (issue) => `${issue.path.join('.')} ${issue.message}`,
  )

test('the file has 250 countries, 28 of them without a plan, and names its sources', () => {
  assert.equal(codes.length, 250)
  assert.equal(codes.filter((code) => entryOf(file, code).plan === null).length, 28)
  assert.match(plans.meta.disclaimer, /Not legal advice/)
  assert.ok(plans.meta.sources.length > 0)
  for (const [code, entry] of Object.entries(plans.countries)) {
    if (entry.plan !== null) assert.ok((entry.sources ?? []).length > 0, `${code} has no source`)
    if (entry.confidence === 'medium-conflict') assert.ok((entry.conflicts ?? []).length > 0, `${code} has no conflict`)
  }
})

test('parsing loses nothing of the file', () => {
  assert.deepEqual(plans, file)
})

test('the answer for DE is exact', () => {
  assert.deepEqual(planOf('DE'), {
    country: 'DE',
    regionCode: 'EU868',
    regionByte: 5,
    loraRegionByte: 5,
    sub: null,
    deviceConfig: file.regions.EU868,
    raw: {
      plan: 'EU868',
      sub: null,
      alternatives: ['EU433'],
      confidence: 'high',
      sources: ['rp002-1.0.4(hplans)', 'helium-docs', 'ttn-docs', 'meshtastic'],
    },
  })
})

// Country, plan, LoRaMac-node number (LoRaMacRegion_t), sub, and the data's confidence.
const known: readonly [string, PlanName, number, string | null, string][] = [
  ['CH', 'EU868', 5, null, 'high'],
  ['XK', 'EU868', 5, null, 'low'],
  ['US', 'US915', 8, 'FSB2', 'high'],
  ['AU', 'AU915', 1, 'FSB2', 'high'],
  ['NZ', 'AU915', 1, 'FSB2', 'medium-conflict'],
  ['JP', 'AS923-1', 0, '1', 'high'],
  ['VN', 'AS923-2', 0, '2', 'medium-conflict'],
  ['PH', 'AS923-3', 0, '3', 'medium-conflict'],
  ['IL', 'AS923-4', 0, '4', 'high'],
  ['KR', 'KR920', 6, null, 'high'],
  ['IN', 'IN865', 7, null, 'high'],
  ['RU', 'RU864', 9, null, 'medium-conflict'],
  ['AZ', 'EU433', 4, null, 'medium'],
  ['CN', 'CN470', 2, null, 'high'],
]
for (const [country, plan, number, sub, confidence] of known) {
  test(`${country}: ${plan}${sub === null ? '' : `, ${sub}`}`, () => {
    const view = planOf(country)
    assert.equal(view.regionCode, plan)
    assert.equal(view.regionByte, number)
    assert.equal(view.loraRegionByte, number)
    assert.equal(view.sub, sub)
    assert.equal(view.raw.confidence, confidence)
    assert.deepEqual(view.raw, entryOf(file, country))
    assert.deepEqual(view.deviceConfig, file.regions[plan])
  })
}

test('a country may be given in either case', () => {
  for (const spelling of ['de', 'De', 'dE']) assert.deepEqual(planOf(spelling), planOf('DE'))
})

test('the 28 countries without a plan, and no others, are refused as such', () => {
  for (const code of codes) {
    const view = countryPlan(plans, code, shipped)
    if (entryOf(file, code).plan === null) assert.deepEqual(view, { refused: 'no_plan' }, code)
    else assert.ok(!('refused' in view), code)
  }
})

test('every answer has the documented shape', () => {
  for (const code of codes) {
    if (entryOf(file, code).plan === null) continue
    assert.deepEqual(countryPlanViewSchema.strict().parse(planOf(code)), planOf(code))
  }
})

// 'ß' and the ligature become two capitals in toUpperCase; the Kelvin sign and the long s match their letters in
// case-insensitive patterns.
const noCountries =
  'ZZ XX AA QM UK EU SU AN 123 12 1 D deu D1 __proto__ constructor toString ß ﬁ \u212ar ſe ＤＥ DE\0'.split(' ')
for (const country of [...noCountries, '', ' ', ' DE', 'DE ', 'DE\n', 'D E']) {
  test(`${JSON.stringify(country)} is not a country`, () => {
    assert.deepEqual(countryPlan(plans, country, shipped), { refused: 'not_a_country' })
  })
}

test('exactly 250 two-letter codes are countries', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const pairs = letters.flatMap((first) => letters.map((second) => first + second))
  const refused = (code: string) => {
    const view = countryPlan(plans, code, shipped)
    return 'refused' in view && view.refused === 'not_a_country'
  }
  assert.deepEqual(
    pairs.filter((code) => !refused(code)),
    codes.toSorted(),
  )
})

test('no text makes it throw', () => {
  const text = fc.oneof(anyText(), fc.string({ maxLength: 2 }), fc.constantFrom(...codes))
  const scheme = fc.constantFrom(...regionByteSchemes)
  const overrides = fc.dictionary(fc.constantFrom(...codes), fc.constantFrom(...planNames, 'none'))
  fc.assert(
    fc.property(text, scheme, overrides, (country, chosen, given) => {
      const view = countryPlan(plans, country, { scheme: chosen, overrides: loraOverridesSchema.parse(given) })
      if ('refused' in view) return view.refused === 'not_a_country' || view.refused === 'no_plan'
      return view.country === country.toUpperCase() && Number.isInteger(view.regionByte)
    }),
  )
})

// Each scheme's numbers for DE, US and KR, and the countries whose region it has no number for.
const schemes: Readonly<Record<RegionByteScheme, { numbers: readonly number[]; missing: string }>> = {
  loramacNode: { numbers: [5, 8, 6], missing: '' },
  lorawanPlanId: { numbers: [1, 2, 10], missing: '' },
  basicsModem: { numbers: [1, 3, 10], missing: 'AZ BQ LS UZ' },
  rui3: { numbers: [4, 5, 7], missing: '' },
  dragino: { numbers: [1, 2, 13], missing: 'IL' },
  chirpstack: { numbers: [0, 2, 8], missing: '' },
  helium: { numbers: [1, 0, 7], missing: '' },
  mcciLmic: { numbers: [1, 2, 8], missing: 'CU ID IL PH RU VN VU' },
  meshtastic: {
    numbers: [3, 1, 7],
    missing: 'BD BN BO CC CK CR CU CW CX HK HM ID IL JP KH LA LK MM MO MY NU PG PH PK SB SG TH TK TW TZ UG VE VN VU',
  },
}

for (const scheme of regionByteSchemes) {
  const { numbers, missing } = schemes[scheme]
  test(`regionByteScheme ${scheme}`, () => {
    const answered = ['DE', 'US', 'KR'].map((country) => planOf(country, by(scheme)).regionByte)
    assert.deepEqual(answered, numbers)
    const refusals = codes
      .filter((code) => entryOf(file, code).plan !== null)
      .map((code) => ({ code, view: countryPlan(plans, code, by(scheme)) }))
      .filter(({ view }) => 'refused' in view)
    assert.equal(refusals.map(({ code }) => code).join(' '), missing)
    for (const { view } of refusals) assert.deepEqual(view, { refused: 'no_plan' })
  })

  test(`with ${scheme} all three fields with the number agree, and the sub stays`, () => {
    for (const code of ['DE', 'US', 'KR', 'IN', 'CN']) {
      const view = planOf(code, by(scheme))
      const number = file.regions[view.regionCode].ids[scheme]
      assert.deepEqual([view.regionByte, view.loraRegionByte, view.deviceConfig.regionByte], [number, number, number])
      assert.equal(view.sub, planOf(code).sub)
    }
  })
}

test('choosing a scheme leaves the parsed data unchanged', () => {
  planOf('DE', by('chirpstack'))
  assert.deepEqual(plans, file)
})

test('the operator gives a country another plan, and the answer says so', () => {
  const view = planOf('nz', overriding({ NZ: 'AS923-1' }))
  assert.equal(view.regionCode, 'AS923-1')
  assert.equal(view.regionByte, 0)
  assert.equal(view.sub, '1')
  assert.deepEqual(view.deviceConfig, file.regions['AS923-1'])
  assert.deepEqual(view.raw, {
    plan: 'AS923-1',
    sub: '1',
    alternatives: [],
    confidence: 'operator',
    sources: ['lora.countries'],
    replaces: entryOf(file, 'NZ'),
  })
  assert.deepEqual(countryPlanViewSchema.strict().parse(view), view)
})

// A plan that an override names without a sub, and the sub that it gets.
const usualSubs: readonly [PlanName, string | null][] = [
  ['EU868', null],
  ['US915', 'FSB2'],
  ['AU915', 'FSB2'],
  ['AS923-1', '1'],
  ['AS923-2', '2'],
  ['AS923-3', '3'],
  ['AS923-4', '4'],
  ['CN470', null],
]
for (const [plan, sub] of usualSubs) {
  test(`an override with ${plan} alone has the sub ${sub}`, () => {
    assert.equal(planOf('AF', overriding({ AF: plan })).sub, sub)
    assert.equal(planOf('AF', overriding({ AF: { plan } })).sub, sub)
  })
}

test('an override with the country’s own plan changes only its source', () => {
  for (const code of codes) {
    const { plan } = entryOf(file, code)
    if (plan === null) continue
    const { raw: _, ...rest } = planOf(code, overriding({ [code]: plan }))
    const { raw: __, ...stated } = planOf(code)
    assert.deepEqual(rest, stated)
  }
})

test('an override may give the sub as text, or as the number that YAML makes of a digit', () => {
  assert.equal(planOf('JP', overriding({ JP: { plan: 'AS923-1', sub: '5' } })).sub, '5')
  assert.equal(planOf('JP', overriding({ JP: { plan: 'AS923-1', sub: 5 } })).sub, '5')
  assert.equal(planOf('AR', overriding({ AR: { plan: 'AU915', sub: 'FSB1' } })).raw.sub, 'FSB1')
})

test('the operator can give a plan to a country without one, remove one, and affect no other', () => {
  const choice = overriding({ AF: 'EU868', LS: 'none' })
  assert.equal(planOf('AF', choice).regionCode, 'EU868')
  assert.deepEqual(countryPlan(plans, 'LS', choice), { refused: 'no_plan' })
  assert.deepEqual(planOf('DE', choice), planOf('DE'))
})

test('the operator’s byte replaces the scheme’s, even if that has none', () => {
  const choice = {
    scheme: 'dragino',
    overrides: loraOverridesSchema.parse({ IL: { plan: 'AS923-4', regionByte: 7 } }),
  } as const
  const view = planOf('IL', choice)
  assert.deepEqual([view.regionByte, view.loraRegionByte, view.deviceConfig.regionByte], [7, 7, 7])
  assert.equal(planOf('DE', choice).regionByte, 1)
})

test('an override does not bypass the scheme: a region without a number stays refused', () => {
  const choice = { scheme: 'mcciLmic', overrides: loraOverridesSchema.parse({ DE: 'AS923-2' }) } as const
  assert.deepEqual(countryPlan(plans, 'DE', choice), { refused: 'no_plan' })
})

const faults: readonly [unknown, RegExp][] = [
  [{ NZ: 'AS923-9' }, /^countries\.NZ\.plan must be one of EU868, .*CN779 or none$/],
  [{ NZ: 'eu868' }, /^countries\.NZ\.plan must be one of/],
  [{ NZ: '__proto__' }, /^countries\.NZ\.plan must be one of/],
  [{ NZ: {} }, /^countries\.NZ\.plan must be one of/],
  [{ NZ: null }, /^countries\.NZ must be a plan or \{ plan, sub\?, regionByte\? \}$/],
  [{ NZ: 7 }, /^countries\.NZ must be a plan or/],
  [{ nz: 'AS923-1' }, /^countries\.nz is not an ISO 3166-1 alpha-2 country code in capitals$/],
  [{ ZZ: 'AS923-1' }, /^countries\.ZZ is not an ISO 3166-1/],
  [{ constructor: 'AS923-1' }, /^countries\.constructor is not an ISO 3166-1/],
  [{ US: { plan: 'US915', sub: 'FSB9' } }, /^countries\.US\.sub must be one of FSB1, .*FSB8 with US915$/],
  [{ VN: { plan: 'AS923-2', sub: '1' } }, /^countries\.VN\.sub must be one of 2 with AS923-2$/],
  [{ DE: { plan: 'EU868', sub: 'A' } }, /^countries\.DE\.sub EU868 has none$/],
  [{ DE: { plan: 'none', sub: '1' } }, /^countries\.DE\.sub is only allowed with a plan$/],
  [{ DE: { plan: 'none', regionByte: 1 } }, /^countries\.DE\.regionByte is only allowed with a plan$/],
  [{ DE: { plan: 'EU868', regionByte: 256 } }, /^countries\.DE\.regionByte /],
  [{ DE: { plan: 'EU868', regionByte: 1.5 } }, /^countries\.DE\.regionByte /],
  [{ DE: { plan: 'EU868', plam: 'x' } }, /^countries\.DE Unrecognized key: "plam"$/],
  [['EU868'], /^countries /],
]
for (const [overrides, expected] of faults) {
  test(`the override ${JSON.stringify(overrides)} is a mistake of the configuration`, () => {
    const messages = faultsOf(overrides)
    assert.equal(messages.length, 1, messages.join('; '))
    assert.match(messages[0] ?? '', expected)
  })
}

test('every mistake in the section is reported at once', () => {
  const parsed = loraSettingsSchema.safeParse({
    regionByteScheme: 'lora',
    countries: { DE: 'EU', ZZ: 'EU868' },
    extra: 1,
  })
  const paths = (parsed.error?.issues ?? []).map((issue) => issue.path.join('.'))
  assert.deepEqual(paths.toSorted(), ['', 'countries.DE.plan', 'countries.ZZ', 'regionByteScheme'])
})

test('by default the numbering is that of LoRaMac-node and nothing is overridden', () => {
  assert.deepEqual(loraSettingsSchema.parse({}), { regionByteScheme: 'loramacNode', countries: {} })
})

const broken: readonly [string, (copy: CountryPlans) => unknown, RegExp][] = [
  ['a country is missing', (copy) => Reflect.deleteProperty(copy.countries, 'DE'), /countries\.DE/],
  ['a country is unknown', (copy) => Object.assign(copy.countries, { ZZ: copy.countries.DE }), /ZZ/],
  ['a region is missing', (copy) => Reflect.deleteProperty(copy.regions, 'KR920'), /regions\.KR920/],
  ['a plan is unknown', (copy) => Object.assign(entryOf(copy, 'DE'), { plan: 'EU999' }), /countries\.DE\.plan/],
  ['a sub does not fit', (copy) => Object.assign(entryOf(copy, 'VN'), { sub: '1' }), /countries\.VN\.sub/],
  ['a planless country has a sub', (copy) => Object.assign(entryOf(copy, 'AF'), { sub: '1' }), /countries\.AF\.sub/],
  ['a plan has no confidence', (copy) => Object.assign(entryOf(copy, 'DE'), { confidence: 'none' }), /DE\.confidence/],
  ['two numbers differ', (copy) => Object.assign(copy.regions.EU868, { regionByte: 4 }), /EU868\.regionByte/],
  ['a number is not a byte', (copy) => Object.assign(copy.regions.EU868.ids, { rui3: 256 }), /EU868\.ids\.rui3/],
  ['a numbering is missing', (copy) => Reflect.deleteProperty(copy.regions.EU868.ids, 'rui3'), /EU868\.ids/],
  ['the disclaimer is gone', (copy) => Reflect.deleteProperty(copy.meta, 'disclaimer'), /meta\.disclaimer/],
]
for (const [what, spoil, expected] of broken) {
  test(`a file in which ${what} is refused with the key named`, () => {
    const copy = structuredClone(file)
    spoil(copy)
    assert.throws(() => parseCountryPlans(copy), expected)
  })
}

test('a file that is not an object is refused as a whole', () => {
  for (const json of [null, undefined, 3, 'x', [], {}]) assert.throws(() => parseCountryPlans(json), /country plans: /)
})
