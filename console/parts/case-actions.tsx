import { useState } from 'preact/hooks'
import { ApiError, call, isLost, poll, send } from '../api/client.ts'
import type { Case, EndOutcome, Item } from '../api/types.ts'
import { insist } from '../logic/insist.ts'
import { isDrill } from '../logic/order.ts'
import { readable } from '../logic/plain-text.ts'
import { now } from '../state/clock.ts'
import { texts } from '../state/language.ts'
import { mayAct, me } from '../state/session.ts'
import { write } from '../state/written.ts'
import { Confirm, Field, Problem, Select } from './controls.tsx'
import { focusResult } from './keys.tsx'
import { Until } from './moment.tsx'
import { useTask } from './task.ts'
import { personOf } from './urgency.tsx'

type Remark = { readonly outcome: EndOutcome | ''; readonly note: string }

/** An optional remark of the operator who ends the incident. */
function EndRemark({ said, say }: { readonly said: Remark; readonly say: (said: Remark) => void }) {
  const t = texts.value
  return (
    <>
      <Select
        label={t.outcomeAsk}
        value={said.outcome}
        options={[['', t.outcomeUnknown], ...Object.entries(t.outcomes)]}
        onPick={(outcome) => say({ ...said, outcome: outcome as Remark['outcome'] })}
      />
      <Field
        label={t.outcomeNote}
        hint={t.outcomeHint}
        maxLength={500}
        value={said.note}
        onInput={(event) => say({ ...said, note: event.currentTarget.value })}
      />
    </>
  )
}

const sentRemark = ({ outcome, note }: Remark) => ({
  ...(outcome !== '' && { outcome }),
  ...(note.trim() !== '' && { note }),
})

type Verb = 'take' | 'take-over' | 'untake' | 'resolve' | 'resume' | 'alarm-now' | 'called-back'

/** Never queued: it is taken now, as the screen shows it, or not at all. */
const taken = (incidentId: string, presses: number): Promise<Case> =>
  insist((withinMs) => call<Case>('POST', `/incidents/${incidentId}/take?presses=${presses}`, {}, { withinMs }), {
    now: () => performance.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    isVisible: () => document.visibilityState === 'visible',
    isLost,
  })

function NotTaken({ incident }: { readonly incident: Item }) {
  const t = texts.value
  const { phone } = incident.person
  return (
    <p class="problem not-taken" role="alert">
      <strong>{t.notTaken}</strong>{' '}
      {incident.silent ? t.doNotCall : phone !== null && <a href={`tel:${phone}`}>{t.callNumber(phone)}</a>}
    </p>
  )
}

/** The actions of an operator on an alarm, and the reasons why one was refused. */
export function Actions({ found, onTook }: { readonly found: Case; readonly onTook: (found: Case) => void }) {
  const t = texts.value
  const task = useTask()
  /** The number of presses on the screen when the end was requested. More may come before it is confirmed. */
  const [asking, ask] = useState<number | null>(null)
  const [remark, say] = useState<Remark>({ outcome: '', note: '' })
  const { incident, mayUndoTakeUntil } = found
  const isOpen = incident.closing === null && incident.closedAt === null
  const mayUndo = mayUndoTakeUntil !== null && Date.parse(mayUndoTakeUntil) > now.value
  const { incidentId, presses, takenBy: owner } = incident
  const [refused, refuse] = useState<'take' | 'resolve' | null>(null)
  const act = (verb: Verb) => () =>
    void task
      .run(async () => {
        refuse(null)
        try {
          if (verb === 'called-back') {
            const found = await write({ incidentId, path: verb, body: { contactId: null } })
            if (found !== null) onTook(found)
          } else if (verb === 'alarm-now') {
            const opened = await send<Case>(`/incidents/${incidentId}/${verb}`, {})
            location.hash = `#/incident/${opened.incident.incidentId}`
          } else if (verb === 'take-over') {
            onTook(await send<Case>(`/incidents/${incidentId}/${verb}`, { from: owner?.operatorId ?? null }))
          } else if (verb === 'take') {
            onTook(await taken(incidentId, presses))
          } else if (verb === 'resolve') {
            onTook(
              await send<Case>(`/incidents/${incidentId}/resolve?presses=${asking ?? presses}`, sentRemark(remark)),
            )
          } else {
            onTook(await send<Case>(`/incidents/${incidentId}/${verb}`, {}))
          }
        } catch (error) {
          if (verb === 'take' && isLost(error)) {
            refuse('take')
            return
          }
          // Someone else was first: show their action, and say so.
          if (error instanceof ApiError && error.status === 409) onTook(await poll(`/incidents/${incident.incidentId}`))
          if (verb !== 'resolve' || !(error instanceof ApiError) || error.reason !== 'pressed_again') throw error
          refuse('resolve')
        }
      })
      .then(() => ask(null))
      .then(focusResult)
  return (
    <div class="bar">
      {mayAct.value && isOpen && (
        <div class="actions">
          {incident.urgency < 4 && (
            <button type="button" class="main" data-key="take" disabled={task.busy} onClick={act('take')}>
              {t.take}
            </button>
          )}
          {owner !== undefined && owner.operatorId !== me.value?.id && (
            <button type="button" disabled={task.busy} onClick={act('take-over')}>
              {t.shift.takeOver(readable(owner.name) ?? t.somebody)}
            </button>
          )}
          {mayUndo && (
            <button type="button" disabled={task.busy} onClick={act('untake')}>
              {t.undoTake} <Until at={mayUndoTakeUntil} />
            </button>
          )}
          {incident.held && (
            <button type="button" disabled={task.busy} onClick={act('resume')}>
              {t.resume}
            </button>
          )}
          <button type="button" data-key="end" disabled={task.busy} onClick={() => ask(presses)}>
            {isDrill(incident) ? t.drills.end : t.resolve}
          </button>
        </div>
      )}
      {mayAct.value && incident.putOff && (
        <div class="actions">
          <button type="button" class="main" disabled={task.busy} onClick={act('alarm-now')}>
            {t.alarmNow}
          </button>
        </div>
      )}
      {mayAct.value && incident.toCallBack > 0 && (
        <div class="actions">
          <button type="button" class="main" disabled={task.busy} onClick={act('called-back')}>
            {t.tickCalledBack}
          </button>
          <p class="hint">{incident.silent ? t.doNotCall : t.toCallBack(personOf(incident))}</p>
        </div>
      )}
      {!mayAct.value && <p class="quiet">{t.mayOnlyLook}</p>}
      {refused === 'take' && <NotTaken incident={incident} />}
      {refused === 'resolve' && (
        <p class="problem" role="alert">
          <strong>{t.notEnded}</strong>
        </p>
      )}
      <Problem text={task.problem} />
      {asking !== null && (
        <Confirm
          title={isDrill(incident) ? t.drills.endAsk : t.resolveAsk}
          yes={isDrill(incident) ? t.drills.end : t.resolve}
          busy={task.busy}
          onYes={act('resolve')}
          onNo={() => ask(null)}
        >
          <p>{isDrill(incident) ? t.drills.endMeans : t.resolveMeans(personOf(incident))}</p>
          {!isDrill(incident) && <EndRemark said={remark} say={say} />}
        </Confirm>
      )}
    </div>
  )
}
