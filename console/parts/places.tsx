import { raisedWords, SMS_SENDER, sourceText } from '../../src/core/text/source-words.ts'
import type { Item, Position } from '../api/types.ts'
import { readable } from '../logic/plain-text.ts'
import { language, texts } from '../state/language.ts'
import { ago } from './moment.tsx'

/** The possible positions of the person, the one to show in front. */
export const placesOf = ({ places, position }: Pick<Item, 'places' | 'position'>): readonly Position[] =>
  places ?? (position === null ? [] : [position])

/** The source of a position, shown if there are several or if another user of the service sent it. */
export const sourceOf = ({ places }: Pick<Item, 'places'>, place: Position): string | null =>
  places === undefined ? null : sourceText(language.value, place)

/** `1 min ago: tracker, through another user`. The age comes first, because it stays if the line is cut off. */
export function placeAge(item: Pick<Item, 'places'>, position: Position): string {
  const source = sourceOf(item, position)
  const age = ago(position.at)
  return source === null ? texts.value.positionAgo(age) : texts.value.labelled(age, source)
}

/** Whether a text raised it, which may be forged. */
export const isBySms = ({ raisedThrough }: Pick<Item, 'raisedThrough'>): boolean =>
  raisedThrough?.deviceId.startsWith(SMS_SENDER) === true

/** Says that only another user of the service raised the alarm. Null otherwise. */
export function raisedText({ raisedThrough }: Pick<Item, 'raisedThrough'>): string | null {
  if (raisedThrough === undefined) return null
  const { phrase, device } = raisedWords(language.value, raisedThrough.deviceId)
  return phrase.replace('{device}', () => readable(device) ?? '?')
}
