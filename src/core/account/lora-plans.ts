const frequencySubBands = ['FSB1', 'FSB2', 'FSB3', 'FSB4', 'FSB5', 'FSB6', 'FSB7', 'FSB8']

/**
 * Every plan with its known `sub` values: the frequency sub-band of the 64-channel plans, and the channel plan group of
 * AS923 in LoRaMac-node's numbering (5, 6 and 7 are Japan's variants of group 1).
 */
export const planSubs = {
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

/** Whether `sub` is defined by the plan. */
export const knowsSub = (plan: PlanName, sub: string): boolean => planSubs[plan].some((known) => known === sub)
