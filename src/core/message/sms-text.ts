import { fitsIn, isGsm7, segmentsOf, withoutForeignAccents } from '../text/gsm7.ts'
import { shortened } from '../text/person-name.ts'

/** The main sentence of a message, for each form of the person's name. */
export type Sentence = (who: string) => string

/** Two segments arrive together on every phone. With more, parts arrive late or not at all on bad networks. */
const MAX_SEGMENTS = 2
/** For a name in another script, which halves the capacity of a segment. The position must not pay for that. */
const MAX_SEGMENTS_UCS2 = 3
/** A name keeps `SHORT_NAME_LENGTH` while anything else can be dropped, and always `MIN_NAME_LENGTH`. */
const SHORT_NAME_LENGTH = 20
const MIN_NAME_LENGTH = 8
/** Characters to cut from a name at a time. */
const NAME_STEP = 4

/** The parts of an alarm SMS besides the sentence that says who needs help. */
type AlarmContents = {
  readonly link: string | null
  /** How to answer by SMS, if that is possible. */
  readonly answer: string | null
  readonly late: string | null
  /** `links`: the position as something a tap opens on a map, fullest form first. `bare`: as numbers. */
  readonly places: { readonly links: readonly string[]; readonly bare: string } | null
  /** Another position that may be right as well; it is dropped before any part of the first one. */
  readonly second?: { readonly link: string; readonly bare: string } | null
  /** A battery that is almost empty. */
  readonly battery?: string | null
  /** Used if no position is known; null: nothing is said. */
  readonly noPlace: string | null
  readonly confirm: string | null
  readonly via: string | null
}

/**
 * The SMS of an alarm: who, how to answer, when, where, and the application. It takes one segment if everything but the
 * request to confirm fits, else two; with a battery text, two if only the request does not fit. If even two are too
 * few, parts are dropped in this order: the map link of the second position in favour of bare numbers, that position,
 * the battery, the request to confirm, the application, the end of the name, the map link in favour of bare numbers,
 * the times, all but the start of the name, how to answer by SMS, and last the position. The link is never cut.
 * rules.md#texts.
 */
export function alarmSms(says: Sentence, who: string, parts: AlarmContents): string {
  const { link, answer, late, places, confirm, via, battery = null } = parts
  const sentence = says(who)
  const write = (name: string, shape: Shape) => {
    const begins = name === who ? sentence : says(name)
    const { isAnswerless, confirm, late, place, battery = null, via } = shape
    return joined([begins, isAnswerless ? null : answer, confirm, link, late, place, battery, via])
  }
  const links = places?.links ?? [parts.noPlace, null]
  const shortest = places === null ? [null] : [links.at(-1) ?? null, places.bare]
  const none = { confirm: null, via: null }

  // Most alarms end here, so the shorter shapes are not even listed.
  const complete = [{ confirm, via }, ...(via === null ? [none] : [{ confirm: null, via }])]
  const anyway = [...complete, { confirm, via: null }, none]
  const withWholeName = (
    segments: number,
    extras: readonly Pick<Shape, 'confirm' | 'via'>[],
    { second = null, charge = null }: { readonly second?: string | null; readonly charge?: string | null } = {},
  ): string | null => {
    for (const extra of extras) {
      for (const first of links) {
        const place = second === null ? first : joined([first, second])
        const text = write(who, { place, late, battery: charge, ...extra })
        if (fitsIn(text, segments)) return text
      }
    }
    return null
  }
  const { link: tappable = null, bare = null } = parts.second ?? {}
  const seconds = tappable === null ? [null] : [tappable, bare, null]
  if (battery !== null) {
    // Worth a second segment, but not a word that says what to do.
    for (const second of seconds) {
      const text = withWholeName(
        MAX_SEGMENTS,
        [
          { confirm, via },
          { confirm, via: null },
        ],
        { second, charge: battery },
      )
      if (text !== null) return text
    }
  }
  if (parts.second) {
    const both =
      withWholeName(1, complete, { second: tappable }) ??
      withWholeName(MAX_SEGMENTS, anyway, { second: tappable }) ??
      withWholeName(MAX_SEGMENTS, anyway, { second: bare })
    if (both !== null) return both
  }
  const usual = withWholeName(1, complete) ?? withWholeName(MAX_SEGMENTS, anyway)
  if (usual !== null) return usual

  const cut = (nameMin: number, told: string | null) =>
    shortest.map((place) => ({ place, late: told, ...none, nameMin }))
  const placeless = { place: null, late: null, ...none, nameMin: MIN_NAME_LENGTH, isAnswerless: true } as const
  const barest = () => write(shortened(who, MIN_NAME_LENGTH), placeless)
  function* attempts() {
    const scarce = [...cut(SHORT_NAME_LENGTH, late), ...cut(SHORT_NAME_LENGTH, null), ...cut(MIN_NAME_LENGTH, null)]
    yield { segments: MAX_SEGMENTS, shapes: scarce }
    // In the 7-bit alphabet, only a link that is too long by itself gets this far.
    const last = isGsm7(barest()) ? MAX_SEGMENTS : MAX_SEGMENTS_UCS2
    const answerless = answer === null ? [] : scarce.map((shape) => ({ ...shape, isAnswerless: true as const }))
    const shapes = [...scarce, ...answerless, { ...placeless, late }, placeless]
    yield { segments: Math.max(last, segmentsOf(barest())), shapes }
  }
  for (const { segments, shapes } of attempts()) {
    for (const shape of shapes) {
      const text = fitting(who, shape.nameMin, segments, (name) => write(name, shape))
      if (text !== null) return text
    }
  }
  return barest()
}

type Shape = {
  readonly late: string | null
  readonly confirm: string | null
  readonly place: string | null
  readonly via: string | null
  readonly battery?: string | null
  readonly isAnswerless?: true
}

/**
 * The SMS of any other news: its sentence and the link, which identifies the SOS and by which a sent text is found
 * again. The name is cut before the text takes a third segment, and then how to answer by SMS is left out. If a name in
 * another script makes the text too long even then, the text takes as many segments as it needs with the start of that
 * name.
 */
export function newsSms(says: Sentence, who: string, link: string | null, answer: string | null = null): string {
  const write = (name: string) => joined([says(name), link, answer])
  const text = fitting(who, WHOLE_NAME, 1, write) ?? fitting(who, MIN_NAME_LENGTH, MAX_SEGMENTS, write)
  if (text !== null) return text
  if (answer !== null) return newsSms(says, who, link)
  const barest = write(shortened(who, MIN_NAME_LENGTH))
  return fitting(who, MIN_NAME_LENGTH, segmentsOf(barest), write) ?? barest
}

const WHOLE_NAME = Number.POSITIVE_INFINITY

/** The text with the longest form of the name that fits into `segments`; null if not even `nameMin` fits. */
function fitting(who: string, nameMin: number, segments: number, write: Sentence): string | null {
  const full = write(who)
  if (fitsIn(full, segments)) return full
  if (nameMin === WHOLE_NAME) return null
  let length = [...who].length
  const shortest = Math.min(nameMin, length)
  while (length > shortest) {
    length = Math.max(shortest, length - NAME_STEP)
    const text = write(shortened(who, length))
    if (fitsIn(text, segments)) return text
  }
  return null
}

/** Emoji in a name, with their joiners, modifiers and variation selectors. */
const PICTURES = /[\p{Extended_Pictographic}\p{Regional_Indicator}](?:\p{Emoji_Modifier}|\u{fe0f}|\u200d|\u20e3)*/gu

/**
 * A name for SMS: without accents that the 7-bit alphabet lacks, and without emoji, each of which would halve the
 * capacity. Another script stays, because that is how its readers know the person.
 */
export function nameInSms(name: string): string {
  const plain = withoutForeignAccents(name)
  if (isGsm7(plain)) return plain
  const words = name.replace(PICTURES, ' ').replace(/\s+/g, ' ').trim()
  return withoutForeignAccents(/[\p{L}\p{N}]/u.test(words) ? words : name)
}

function joined(texts: readonly (string | null)[]): string {
  let all = ''
  for (const text of texts) if (text) all = all === '' ? text : `${all} ${text}`
  return all
}
