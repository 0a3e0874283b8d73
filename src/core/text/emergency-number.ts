/** Zones in America whose islands and departments belong to Europe's numbering. */
const EUROPEAN_IN_AMERICA =
  /^America\/(?:Nuuk|Godthab|Danmarkshavn|Scoresbysund|Thule|Cayenne|Guadeloupe|Martinique|Marigot|Miquelon|St_Barthelemy)$/

/** The first that matches decides. */
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
 * The number that the page offers for the emergency services, by the application's time zone: where its people are, as
 * far as anybody has said. 112 wherever nothing else is in the table: all of Europe and much of the world have it, and
 * mobile networks everywhere put it through. `timeZone`: IANA.
 */
export const emergencyNumber = (timeZone: string): string => numbers.find(([zone]) => zone.test(timeZone))?.[1] ?? '112'
