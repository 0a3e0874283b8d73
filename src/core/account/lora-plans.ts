/** The officially assigned ISO 3166-1 alpha-2 codes, and XK, the user-assigned code in common use for Kosovo. */
export const countryCodes = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF
  CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH
  GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW
  KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG
  NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN
  SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE
  YT ZA ZM ZW`
  .trim()
  .split(/\s+/)

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
