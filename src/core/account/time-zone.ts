/** Cities of the IANA list under the names that their own people, or their neighbours, write. In lower case. */
export const writtenCities: Readonly<Record<string, string>> = {
  wien: 'Vienna',
  zürich: 'Zurich',
  zuerich: 'Zurich',
  rom: 'Rome',
  roma: 'Rome',
  mailand: 'Rome',
  münchen: 'Berlin',
  muenchen: 'Berlin',
  brüssel: 'Brussels',
  bruxelles: 'Brussels',
  prag: 'Prague',
  praha: 'Prague',
  warschau: 'Warsaw',
  kopenhagen: 'Copenhagen',
  lissabon: 'Lisbon',
  athen: 'Athens',
  bukarest: 'Bucharest',
  luxemburg: 'Luxembourg',
  laibach: 'Ljubljana',
}

/** The IANA name of a zone as people write it: `Europe/Wien` is `Europe/Vienna`. Anything else stays as it is. */
export function timeZoneNamed(written: string): string {
  const [, city] = /^Europe\/(.+)$/i.exec(written.trim()) ?? []
  const known = city === undefined ? undefined : writtenCities[city.toLowerCase()]
  return known === undefined ? written.trim() : `Europe/${known}`
}
