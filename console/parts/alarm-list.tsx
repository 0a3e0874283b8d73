import type { Item } from '../api/types.ts'
import { texts } from '../state/language.ts'
import { Listing } from './listing.tsx'
import { Moment } from './moment.tsx'
import { Badge, lateText, lookOf, personOf, Tags } from './urgency.tsx'

/** Alarms or exercises, a row each. `query`: that of `GET /incidents`. */
export function AlarmList({
  query,
  label,
  empty,
}: {
  readonly query: string
  readonly label: string
  readonly empty?: string
}) {
  const t = texts.value
  return (
    <Listing<Item>
      path={`/incidents?${query}`}
      label={label}
      empty={empty}
      columns={[
        [
          t.history.pressed,
          (item) => (
            <>
              <Moment at={item.pressedAt} /> <small class="late">{lateText(item)?.[1]}</small>
            </>
          ),
        ],
        [t.history.person, (item) => <a href={`#/incident/${item.incidentId}`}>{personOf(item)}</a>],
        [t.history.application, ({ applicationName }) => applicationName],
        [
          t.history.state,
          (item) => (
            <span class={`standing ${lookOf(item)}`}>
              <Badge item={item} /> <Tags item={item} />
            </span>
          ),
        ],
        [t.history.closed, ({ closedAt }) => closedAt !== null && <Moment at={closedAt} />],
      ]}
    />
  )
}
