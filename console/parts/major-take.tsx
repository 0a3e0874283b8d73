import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError, call, isLost } from '../api/client.ts'
import type { Case, Item } from '../api/types.ts'
import { insist } from '../logic/insist.ts'
import { takeable } from '../logic/major.ts'
import { isOpen } from '../logic/order.ts'
import { readable } from '../logic/plain-text.ts'
import { learn, open } from '../state/board.ts'
import { language, texts } from '../state/language.ts'
import { majorWords } from '../texts/major.ts'
import { useModal } from './controls.tsx'
import { Ago, hour } from './moment.tsx'
import { problemOf } from './task.ts'
import { answerText, Badge, personOf, Tags } from './urgency.tsx'

/** Never queued: it is taken now, as the screen shows it, or not at all. */
const taken = ({ incidentId, presses }: Item): Promise<Case> =>
  insist((withinMs) => call<Case>('POST', `/incidents/${incidentId}/take?presses=${presses}`, {}, { withinMs }), {
    now: () => performance.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    isVisible: () => document.visibilityState === 'visible',
    isLost,
  })

const current = (id: string | undefined): Item | null => open.peek().find(({ incidentId }) => incidentId === id) ?? null

/**
 * Goes through the alarms that nobody has, one at a time: one press takes the one that is shown, as it is shown. A key
 * that is held down and the second click of a double click do nothing.
 */
export function MajorTake({ items, onDone }: { readonly items: readonly Item[]; readonly onDone: () => void }) {
  const words = majorWords[language.value]
  const dialog = useModal()
  const [queue] = useState(() => takeable(items).map(({ incidentId }) => incidentId))
  const [at, go] = useState(0)
  // As it is when it comes up: what changes later is refused, and then shown.
  const [shown, show] = useState(() => current(queue[0]))
  const [said, say] = useState<string | null>(null)
  const [busy, work] = useState(false)
  const [tally, add] = useState({ taken: 0, skipped: 0 })
  const next = (how: 'taken' | 'skipped'): void => {
    add((before) => ({ ...before, [how]: before[how] + 1 }))
    say(null)
    // Past those that have ended or are another operator's by now.
    const then = queue.findIndex(
      (id, place) => place > at && takeable([current(id)].flatMap((one) => one ?? [])).length > 0,
    )
    go(then === -1 ? queue.length : then)
    show(then === -1 ? null : current(queue[then]))
  }
  const take = async (): Promise<void> => {
    if (busy || shown === null) return
    work(true)
    try {
      learn((await taken(shown)).incident)
      next('taken')
    } catch (error) {
      const item = current(shown.incidentId)
      say(whyNot(error, item, words))
      if (item !== null) show(item)
    } finally {
      work(false)
    }
  }
  const isOver = at >= queue.length
  const isGone = shown === null || takeable([shown]).length === 0
  // The next one is the next press: the focus follows. Only then: whoever goes to *Stop* stays there.
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => button.current?.focus(), [at, isGone])
  return (
    <dialog
      ref={dialog}
      class="major-take"
      aria-labelledby="major-take"
      onClose={onDone}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.repeat) event.preventDefault()
        if (event.key === 'ArrowRight' && !event.repeat && !busy && !isOver) next('skipped')
      }}
    >
      <h2 id="major-take">
        {isOver ? words.takeDone(tally.taken, tally.skipped) : words.takeTitle(at + 1, queue.length)}
      </h2>
      {!isOver && shown !== null && <Person item={shown} />}
      {said !== null && (
        <p class="problem" role="alert">
          <strong>{said}</strong>
        </p>
      )}
      <div class="actions">
        {!isOver && !isGone && (
          <button
            key={at}
            type="button"
            class="main"
            ref={button}
            aria-disabled={busy}
            onClick={(event) => event.detail <= 1 && void take()}
          >
            {words.takeThis}
          </button>
        )}
        {!isOver && (
          <button type="button" disabled={busy} onClick={() => next('skipped')}>
            {words.skip}
          </button>
        )}
        <button type="button" class={isOver ? 'main' : ''} onClick={onDone}>
          {isOver ? words.close : words.stop}
        </button>
      </div>
      {!isOver && <p class="quiet">{words.takeHint}</p>}
    </dialog>
  )
}

function whyNot(error: unknown, item: Item | null, words: (typeof majorWords)['en']): string {
  if (isLost(error)) return words.lost
  if (error instanceof ApiError && error.reason === 'pressed_again') return words.pressedAgain
  if (item === null || !isOpen(item)) return words.overMeanwhile
  if (item.takenBy !== undefined) return words.takenMeanwhile(readable(item.takenBy.name) ?? texts.value.somebody)
  return problemOf(error)
}

const Person = ({ item }: { readonly item: Item }) => (
  <div class={`take-person u${item.urgency}`}>
    <p>
      <strong>{personOf(item)}</strong> <Tags item={item} />
    </p>
    <p>
      <Badge item={item} /> {item.answer !== null && answerText(item.answer)}
    </p>
    <p class="quiet">
      {hour(item.pressedAt)} (<Ago at={item.pressedAt} />)
      {item.position === null ? ` · ${texts.value.noPosition}` : ' · '}
      {item.position !== null && <Ago at={item.position.at} of={texts.value.positionAgo} />}
    </p>
  </div>
)
