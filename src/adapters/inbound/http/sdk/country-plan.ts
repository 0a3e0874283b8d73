import { z } from 'zod'
import type { countryPlan } from '../../../../core/account/country-plan.ts'
import { countryPlanViewSchema } from '../../../../core/account/country-plan-schema.ts'
import type { Logging } from '../admission/admission.ts'
import { family } from '../family.ts'
import { invalid } from '../problem.ts'
import type { Refusals } from '../refusals.ts'
import { errors } from '../schemas/error.ts'

/** Not checked here: the use case judges country codes. */
const planSchema = countryPlanViewSchema.meta({ id: 'CountryPlan' })

const params = z.object({
  country: z.string().meta({ description: 'ISO 3166-1 alpha-2, upper or lower case', examples: ['DE'] }),
})

const refusals = {
  no_plan: { kind: 'NOT_FOUND', message: 'There is no plan for this country.' },
  not_a_country: invalid([{ field: 'country', message: 'must be an ISO 3166-1 alpha-2 country code' }]),
} as const satisfies Refusals

/** Abridged: a region has several data rates and sub-bands. */
const region = {
  country: 'DE',
  regionCode: 'EU868',
  regionByte: 5,
  loraRegionByte: 5,
  sub: null,
  deviceConfig: {
    commonName: 'EU863-870',
    ids: {
      loramacNode: 5,
      lorawanPlanId: 1,
      basicsModem: 1,
      rui3: 4,
      dragino: 1,
      chirpstack: 0,
      helium: 1,
      mcciLmic: 1,
      meshtastic: 3,
      loramacNodeSub: null,
    },
    regionByte: 5,
    freqMHz: [863, 870],
    rx2: { dr: 0, freqMHz: 869.525 },
    maxEirpDbm: 16,
    dwellTimeMs: null,
    defaultUplinkDr: 0,
    dataRates: [{ dr: 0, sf: 12, bwKHz: 125, maxMacPayload: 59 }],
    defaultChannelsMHz: [868.1, 868.3, 868.5],
    subBands: [{ etsi: 'M (g1)', fromMHz: 868, toMHz: 868.6, dutyCycle: 0.01, maxErpDbm: 14, maxEirpDbm: 16.15 }],
  },
  raw: { plan: 'EU868', sub: null, alternatives: ['EU433'], confidence: 'high', sources: ['rp002-1.0.4(hplans)'] },
}

type Needs = Logging & {
  /** The plan of a country, with the operator's overrides applied. */
  readonly countryPlan: (country: string) => ReturnType<typeof countryPlan>
}

/** The radio settings of a tracker by country: public knowledge, so no session is needed (devices.md#country-plans). */
export const countryPlanRoutes = (needs: Needs) =>
  family('CONFIG', needs, {
    refusals,

    json(scope, refuse) {
      scope.get(
        '/config/device/:country',
        {
          schema: {
            operationId: 'getDeviceConfiguration',
            summary: 'Device configuration and LoRa parameters for a country',
            description:
              'The radio settings that a tracker must use in a country. No login required. 404 when there is no plan for the country.',
            params,
            response: { 200: planSchema, ...errors(400, 404) },
            examples: { parameters: { country: 'DE' }, answers: { 200: region } },
          },
        },
        async (request, reply) => {
          const plan = needs.countryPlan(request.params.country)
          return 'refused' in plan ? refuse(reply, plan.refused) : plan
        },
      )
    },
  })
