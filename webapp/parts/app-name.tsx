import { useId } from 'preact/hooks'
import { SILENT_HOLD_MS } from '../logic/gesture.ts'
import { enrolment } from '../state/enrolment.ts'
import { texts } from '../state/language.ts'
import { alarmState, isRevealed, press } from '../state/sos.ts'
import { useHold } from './hold.ts'

/**
 * The name of the app at its top. Held for three seconds it raises a silent alarm, or shows the one that is open.
 * Nothing moves meanwhile: somebody may be looking.
 */
export function AppName() {
  const t = texts.value.sos
  const id = useId()
  const listeners = useHold(SILENT_HOLD_MS, {
    onHeld() {
      const isSilentOpen = alarmState.value?.silent === true && alarmState.value.step !== 'over'
      if (isSilentOpen) isRevealed.value = true
      else void press(true)
    },
  })
  return (
    <h1 class="app-name">
      <button type="button" class="name" aria-describedby={id} {...listeners}>
        {enrolment.value?.application.name ?? 'SOS'}
      </button>
      <span id={id} class="unseen">
        {t.nameHint}
      </span>
    </h1>
  )
}
