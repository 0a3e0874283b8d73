import type { Case, Item } from '../api/types.ts'
import { readable } from '../logic/plain-text.ts'
import { texts } from '../state/language.ts'
import { dueIn, moment } from './moment.tsx'
import { worded } from './wording.ts'

const SOON = 3

/** The next automatic steps and their times, so that nobody has to remember them at night. */
export function Next({ found }: { readonly found: Case }) {
  const t = texts.value
  const names = new Map(found.contacts.map(({ contactId, name }) => [contactId, readable(name) ?? t.somebody]))
  if (found.incident.held) return <>{t.heldNow}</>
  if (found.next.length === 0) return <>{t.next.nothing}</>
  return (
    <ul class="upcoming">
      {found.next.slice(0, SOON).map(({ at, what, channel, contactId }, n) => (
        <li key={`${at}${n}`}>
          <span class="age">{dueIn(at)}</span>
          <span>
            {what === 'message'
              ? t.next.message(worded(t.channels, channel ?? ''), names.get(contactId ?? '') ?? null)
              : worded(t.next.what, what)}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** How it ended, by whom, and how sure that is. */
export function Ended({ incident: { closing } }: { readonly incident: Item }) {
  const t = texts.value
  if (closing === null) return null
  return (
    <>
      {worded(t.closing, closing.kind)}
      {closing.by !== null && ` · ${worded(t.closedBy, closing.by)}`}
      {closing.name != null && ` (${closing.name})`}
      {outcomeText(closing) !== null && <span class="outcome">{outcomeText(closing)}</span>}
      <small>
        {moment(closing.at)}
        {!closing.confirmed && ` · ${t.notConfirmed}`}
      </small>
    </>
  )
}

/** The outcome in words; null if nobody has given one. */
function outcomeText({ outcome, note }: Pick<NonNullable<Item['closing']>, 'outcome' | 'note'>): string | null {
  const said = [outcome && texts.value.outcomes[outcome], readable(note ?? null)].filter(Boolean)
  return said.length === 0 ? null : said.join(': ')
}
