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
 * The emergency number that the page offers. The application's time zone is the only hint of where its people are.
 * Default 112, which works in all of Europe and much of the world, and which mobile networks connect everywhere.
 * `timeZone`: IANA.
 */
export const emergencyNumber = (timeZone: string): string => numbers.find(([zone]) => zone.test(timeZone))?.[1] ?? '112'
