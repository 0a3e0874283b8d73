import { useState } from 'preact/hooks'
import { texts } from '../state/language.ts'
import { SosButton } from './sos-button.tsx'

/** The button without an alarm behind it: nothing is sent. */
export function Practice({ button, onDone }: { readonly button: string; readonly onDone: () => void }) {
  const t = texts.value.join
  const [isDone, setDone] = useState(false)
  return (
    <>
      <p>{t.practiceHint}</p>
      {isDone ? (
        <p class="notice good" role="status">
          {t.practiceDone}
        </p>
      ) : (
        <SosButton isPractice onPress={() => setDone(true)} />
      )}
      <button type="button" class={isDone ? 'main' : ''} onClick={onDone}>
        {isDone ? button : texts.value.later}
      </button>
    </>
  )
}
