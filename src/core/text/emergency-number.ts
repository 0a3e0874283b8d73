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
 * Countries in which a number other than 112 is best for a person who is injured or lost: the number for all services
 * if there is one, else that of the ambulance, else that of the fire brigade or the police. Each was compared with the
 * emergency numbers in libphonenumber's metadata (google-libphonenumber 3.2.47) and with public lists; where they
 * disagree, the number that most of them name. No authority has confirmed them: operators set what is right for their
 * region (`tracking.emergencyNumbers`). Countries are ISO 3166-1.
 */
const countriesBy: Readonly<Record<string, string>> = {
  '911':
    'AG AI AR AS AW BB BM BQ BS BZ CA CR CW DM DO EC ET FJ FM GD GU GY HN JO KN KY LC LR MH MP MS MX PA PH PR PW PY SV SX TC TO TV US UY VC VE VG VI WS',
  '999': 'AC AE BD BH BW FK GB GG HK IM IO JE KE MO MU MY NU QA SB SC SD SH SL SO SS SZ TA TT UG ZM',
  '15': 'EH GF GP MA MF ML NC NE PF PM WF',
  '118': 'BO CD CG GW HT MG MR SM TG',
  '103': 'AM BY KG MN TJ TM UZ',
  '18': 'BF BL DJ SN TD',
  '119': 'AF JP KH KR TW',
  '000': 'AU CC CX NF',
  '115': 'IR SR VN',
  '123': 'CO EG GT',
  '101': 'IL PS',
  '102': 'MV NP',
  '111': 'NZ PG',
  '116': 'GM PE',
  '117': 'CM MZ',
  '192': 'BR MM',
  '193': 'GH LY',
  '998': 'CK MW',
  '17': 'KM',
  '104': 'CU',
  '110': 'JM',
  '120': 'CN',
  '122': 'IQ',
  '124': 'BA',
  '128': 'NI',
  '130': 'CV',
  '131': 'CL',
  '140': 'LB',
  '180': 'CI',
  '190': 'TN',
  '191': 'YE',
  '194': 'KI',
  '195': 'LA',
  '991': 'BN',
  '995': 'SG',
  '997': 'SA',
  '1122': 'PK',
  '1220': 'CF',
  '1300': 'GA',
  '1669': 'TH',
  '1990': 'LK',
  '9999': 'OM',
  '10111': 'NA',
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
 * The emergency number if the position is unknown. The application's time zone is then the only hint of where its users
 * are. `timeZone`: IANA.
 */
export const emergencyNumber = (timeZone: string): string => numbers.find(([zone]) => zone.test(timeZone))?.[1] ?? '112'
