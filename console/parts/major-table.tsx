import type { Item } from '../api/types.ts'
import { isOpen } from '../logic/order.ts'
import { readable } from '../logic/plain-text.ts'
import { language, texts } from '../state/language.ts'
import { notePart } from '../state/majors.ts'
import { mayAct } from '../state/session.ts'
import { majorWords } from '../texts/major.ts'
import { Problem } from './controls.tsx'
import { Age, Ago, hour } from './moment.tsx'
import { useTask } from './task.ts'
import { answerText, Badge, newsText, personOf } from './urgency.tsx'

type Props = {
  readonly id: string
  readonly items: readonly Item[]
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (chosen: ReadonlySet<string>) => void
}

/** The alarms of a major incident. Nothing is chosen until somebody chooses it. */
export function MajorTable({ id, items, chosen, onChoose }: Props) {
  const words = majorWords[language.value]
  const open = items.filter(isOpen)
  const isAll = open.length > 0 && open.every(({ incidentId }) => chosen.has(incidentId))
  const toggle = (incidentId: string): void => {
    const next = new Set(chosen)
    if (!next.delete(incidentId)) next.add(incidentId)
    onChoose(next)
  }
  return (
    <div class="scroll">
      <table class="major-table">
        <thead>
          <tr>
            {mayAct.value && (
              <th scope="col" class="choice">
                <input
                  type="checkbox"
                  aria-label={words.chooseAll}
                  checked={isAll}
                  onChange={() => onChoose(new Set(isAll ? [] : open.map(({ incidentId }) => incidentId)))}
                />
              </th>
            )}
            <th scope="col">{words.columns.person}</th>
            <th scope="col">{words.columns.state}</th>
            <th scope="col">{words.columns.place}</th>
            <th scope="col">{words.columns.assigned}</th>
            <th scope="col">{words.columns.head}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row
              key={item.incidentId}
              id={id}
              item={item}
              isChosen={chosen.has(item.incidentId)}
              onToggle={() => toggle(item.incidentId)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type RowProps = {
  readonly id: string
  readonly item: Item
  readonly isChosen: boolean
  readonly onToggle: () => void
}

function Row({ id, item, isChosen, onToggle }: RowProps) {
  const t = texts.value
  const words = majorWords[language.value]
  const isOver = !isOpen(item)
  const name = personOf(item)
  const news = newsText(item)
  return (
    <tr class={isOver ? 'over' : ''}>
      {mayAct.value && (
        <td class="choice">
          {!isOver && <input type="checkbox" aria-label={words.choose(name)} checked={isChosen} onChange={onToggle} />}
        </td>
      )}
      <td data-label={words.columns.person}>
        <a href={`#/incident/${item.incidentId}`}>
          <strong>{name}</strong>
        </a>{' '}
        {item.new && <strong class="tag new">{t.isNew}</strong>}{' '}
        {news !== null && <strong class="tag news">{news}</strong>}{' '}
        {item.silent && <strong class="tag">{t.doNotCall}</strong>}
        <small class="quiet">
          {hour(item.pressedAt)} (<Age at={item.pressedAt} />){item.presses > 1 && ` · ${t.presses(item.presses)}`}
          <span class="only-printed">{item.person.phone}</span>
        </small>
      </td>
      <td data-label={words.columns.state}>
        <Badge item={item} />
        {!isOver && item.answer !== null && (
          <small>
            {answerText(item.answer)}, <Ago at={item.answer.at} />
          </small>
        )}
      </td>
      <td data-label={words.columns.place}>
        {item.position === null ? t.noPosition : <Ago at={item.position.at} of={t.positionAgo} />}
        {item.position !== null && (
          <span class="only-printed">
            {item.position.latitude.toFixed(5)}, {item.position.longitude.toFixed(5)}
          </span>
        )}
      </td>
      <td data-label={words.columns.assigned}>{readable(item.major?.assignedTo ?? null)}</td>
      <td data-label={words.columns.head}>
        <Head id={id} item={item} name={name} />
      </td>
    </tr>
  )
}

const states = [null, 'safe', 'handed_over'] as const

/** The head count of one person: a click each, sent with the presses that the screen shows. */
function Head({ id, item, name }: { readonly id: string; readonly item: Item; readonly name: string }) {
  const words = majorWords[language.value]
  const task = useTask()
  const head = item.major?.head
  const said = head && words.countedBy(readable(head.name) ?? head.name, hour(head.at))
  if (!isOpen(item) || !mayAct.value) {
    return (
      <>
        {head && words.heads[head.state]} {said && <small class="quiet">{said}</small>}
      </>
    )
  }
  const count = (state: (typeof states)[number]) => () =>
    void task.run(() => notePart(item, { id, head: state, presses: item.presses }))
  return (
    <>
      <fieldset class="head-states" disabled={task.busy} aria-label={words.headOf(name)}>
        {states.map((state) => (
          <button
            key={state}
            type="button"
            class="small"
            aria-pressed={state === (head?.state ?? null)}
            onClick={count(state)}
          >
            {words.heads[state ?? 'none']}
          </button>
        ))}
      </fieldset>
      {said && <small class="quiet">{said}</small>}
      {task.problem !== null && <Problem text={task.problem} />}
    </>
  )
}
