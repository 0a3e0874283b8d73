import { readable } from '../logic/plain-text.ts'
import type { ShiftNews } from '../logic/shift.ts'
import { open } from '../state/board.ts'
import { texts } from '../state/language.ts'
import { mayAct } from '../state/session.ts'
import { acceptAll, declineAll, news, putAway, withdrawOffer } from '../state/shift.ts'
import { Problem } from './controls.tsx'
import { Until } from './moment.tsx'
import { useTask } from './task.ts'
import { personOf } from './urgency.tsx'

/** News of a change of shift, above every view until the operator has dealt with it. */
export function ShiftNewsBar() {
  if (!mayAct.value || news.value.length === 0) return null
  return (
    <aside class="shift-news" aria-label={texts.value.shift.title}>
      {news.value.map((one) => (
        <OneNews key={one.key} news={one} />
      ))}
    </aside>
  )
}

const called = (name: string | null): string => readable(name) ?? texts.value.somebody

function saidOf(news: ShiftNews): string {
  const t = texts.value.shift
  switch (news.kind) {
    case 'offered': {
      const { operatorId, name } = news.offer.from
      return t.offered(called(name), open.value.filter(({ takenBy }) => takenBy?.operatorId === operatorId).length)
    }
    case 'waiting':
      return t.waiting(called(news.offer.to.name))
    case 'answered':
      return t.answered[news.state](called(news.offer.to.name))
    case 'taken':
      return t.taken(called(news.by), personOf(news.item))
    default:
      return news satisfies never
  }
}

function OneNews({ news }: { readonly news: ShiftNews }) {
  const t = texts.value.shift
  const task = useTask()
  const act = (work: () => Promise<unknown>) => () => void task.run(work)
  return (
    <div class={`news ${news.kind}`} role="status">
      <p>
        {news.kind === 'taken' ? <a href={`#/incident/${news.item.incidentId}`}>{saidOf(news)}</a> : saidOf(news)}{' '}
        {(news.kind === 'offered' || news.kind === 'waiting') && <Until at={news.offer.endsAt} />}
      </p>
      {news.kind === 'offered' && (
        <>
          <button
            type="button"
            class="main"
            disabled={task.busy}
            onClick={act(() => acceptAll(news.offer.from.operatorId))}
          >
            {t.accept}
          </button>
          <button type="button" disabled={task.busy} onClick={act(() => declineAll(news.offer.from.operatorId))}>
            {t.decline}
          </button>
        </>
      )}
      {news.kind === 'waiting' && (
        <button type="button" disabled={task.busy} onClick={act(withdrawOffer)}>
          {t.takeBack}
        </button>
      )}
      {(news.kind === 'answered' || news.kind === 'taken') && (
        <button type="button" disabled={task.busy} onClick={act(() => putAway(news))}>
          {t.read}
        </button>
      )}
      <Problem text={task.problem} />
    </div>
  )
}
