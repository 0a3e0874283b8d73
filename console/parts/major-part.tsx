import type { Item } from '../api/types.ts'
import { readable } from '../logic/plain-text.ts'
import { language, texts } from '../state/language.ts'
import { majors, notePart } from '../state/majors.ts'
import { majorWords } from '../texts/major.ts'
import { Problem, useModal } from './controls.tsx'
import { majorText } from './major-bar.tsx'
import { useTask } from './task.ts'
import { personOf } from './urgency.tsx'

/** Puts one alarm into a major incident by hand: it may have no position, or be further away. */
export function MajorPart({ item, onDone }: { readonly item: Item; readonly onDone: () => void }) {
  const words = majorWords[language.value]
  const dialog = useModal()
  const task = useTask()
  const join = (id: string) => () =>
    void task
      .run(() => notePart(item, { id }))
      .then((isDone) => {
        if (!isDone) return
        onDone()
        location.hash = `#/major/${id}`
      })
  return (
    <dialog ref={dialog} aria-labelledby="major-part" onClose={onDone}>
      <h2 id="major-part">{words.begin}</h2>
      <p>
        <strong>{personOf(item)}</strong>
      </p>
      <p>{words.beginMeans}</p>
      <div class="major-choice">
        {majors.value
          .filter(({ items }) => items[0]!.drill === item.drill)
          .map((major) => (
            <button key={major.id} type="button" disabled={task.busy} onClick={join(major.id)}>
              {words.join(majorText(major))} {teamsOf(major.items)}
            </button>
          ))}
        <button type="button" disabled={task.busy} onClick={join(item.incidentId)}>
          {words.beginNew}
        </button>
        <button type="button" onClick={onDone}>
          {texts.value.cancel}
        </button>
      </div>
      <Problem text={task.problem} />
    </dialog>
  )
}

const MAX_TEAMS = 3

function teamsOf(items: readonly Item[]): string {
  const teams = new Set(items.flatMap(({ major }) => readable(major?.assignedTo ?? null) ?? []))
  return teams.size === 0 ? '' : `(${[...teams].slice(0, MAX_TEAMS).join(', ')})`
}
