/** American zones of places that use European numbers. */
const EUROPEAN_IN_AMERICA =
  /^America\/(?:Nuuk|Godthab|Danmarkshavn|Scoresbysund|Thule|Cayenne|Guadeloupe|Martinique|Marigot|Miquelon|St_Barthelemy)$/

/** The first match decides. */
const numbers: readonly (readonly [zone: RegExp, number: string])[] = [
  [EUROPEAN_IN_AMERICA, '112'],
  [/^(?:America|US|Canada)\/|^Pacific\/Honolulu$/, '911'],
  [/^Europe\/(?:London|Belfast|Jersey|Guernsey|Isle_of_Man)$|^GB$|^Asia\/Hong_Kong$/, '999'],
  [/^Australia\//, '000'],
  [/^Pacific\/(?:Auckland|Chatham)$|^NZ/, '111'],
  [/^Asia\/(?:Tokyo|Seoul)$/, '119'],
  [/^Asia\/Singapore$/, '995'],
]

/**
 * Where another number than 112 answers best for somebody who is injured or lost: one number for all services where
 * there is one, else that of the ambulance. Sources: the authorities' own pages, and the numbers that they report to
 * the ITU (E.129). Checked in November 2026. Countries are ISO 3166-1.
 */
const countriesBy: Readonly<Record<string, string>> = {
  '911':
    'AG AI AR AS AW BB BM BQ BS BZ CA CR CW DM DO EC FM GD GT GU GY HN JO KN KY LC LR MH MP MS MX NI PA PH PR PW PY SV SX TC US UY VC VE VG VI',
  '999': 'AE BD BH BW FK GB GG GI HK IM JE KE MO MU MY OM QA SC SH SZ TT UG ZM',
  '000': 'AU CC CX NF',
  '111': 'CK NU NZ TK',
  '119': 'JM JP KH KR MV TW',
  '120': 'CN',
  '101': 'IL PS',
  '102': 'NP',
  '103': 'BY KG TJ TM UZ MN',
  '104': 'CU',
  '106': 'PE',
  '115': 'IR VN',
  '118': 'BO HT',
  '123': 'CO EG',
  '131': 'CL',
  '140': 'LB',
  '192': 'BR MM',
  '195': 'LA',
  '995': 'SG',
  '997': 'SA',
  '1122': 'PK',
  '1669': 'TH',
  '1990': 'LK',
}

const numberByCountry = new Map(
  Object.entries(countriesBy).flatMap(([number, countries]) => countries.split(' ').map((code) => [code, number])),
)

/**
 * The emergency number of a country (ISO 3166-1 alpha-2). Default 112, which works in all of Europe and much of the
 * world, and which mobile networks connect everywhere.
 */
export const emergencyNumberOf = (country: string): string => numberByCountry.get(country) ?? '112'

/**
 * The emergency number where nobody knows the place. The application's time zone is then the only hint of where its
 * people are. `timeZone`: IANA.
 */
export const emergencyNumber = (timeZone: string): string => numbers.find(([zone]) => zone.test(timeZone))?.[1] ?? '112'
