import { useState } from 'preact/hooks'
import { texts } from '../state/language.ts'
import { sdk } from '../state/sos.ts'
import { SosButton } from './sos-button.tsx'

/** An exercise of this person alone: whom the service would tell. Nobody is told. */
async function practise(): Promise<readonly string[]> {
  const { id, contacts } = await sdk().drills.start()
  void sdk()
    .drills.end(id)
    .catch(() => {})
  return contacts.map(({ name }) => name)
}

/** The button with an exercise behind it. Without an answer of the service, the press is practised all the same. */
export function Practice({ button, onDone }: { readonly button: string; readonly onDone: () => void }) {
  const t = texts.value.join
  const [told, setTold] = useState<readonly string[] | null>(null)
  const press = (): void => {
    setTold([])
    void practise()
      .then(setTold)
      .catch(() => {})
  }
  return (
    <>
      <p>{t.practiceHint}</p>
      {told === null ? (
        <SosButton isPractice onPress={press} />
      ) : (
        <p class="notice good" role="status">
          {told.length === 0 ? t.practiceDone : t.practiceReached(told.join(', '))}
        </p>
      )}
      <button type="button" class={told === null ? '' : 'main'} onClick={onDone}>
        {told === null ? texts.value.later : button}
      </button>
    </>
  )
}
