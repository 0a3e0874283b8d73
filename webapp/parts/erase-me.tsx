import { useState } from 'preact/hooks'
import { Problem } from '../../console/parts/blocks.tsx'
import { ask } from '../state/api.ts'
import { texts } from '../state/language.ts'
import { erasesAt, phones, readPhones } from '../state/phones.ts'
import { shortTime } from '../state/times.ts'
import { Confirm } from './confirm.tsx'
import { useTask } from './task.ts'

const PATH = '/v1/sdk/me/erasure'

async function done(method: 'POST' | 'DELETE'): Promise<void> {
  const { status } = await ask(method, PATH)
  if (status < 200 || status > 299) throw new Error(`${status}`)
  await readPhones()
}

/** The coming erasure of the person, with a way to undo it, on any phone. */
export function ErasureNotice() {
  const t = texts.value.more
  const { busy, problem, run } = useTask()
  if (erasesAt.value === null) return null
  return (
    <section class="notice bad">
      <p>{t.erased(shortTime(erasesAt.value))}</p>
      <button type="button" disabled={busy} onClick={() => void run(() => done('DELETE'))}>
        {t.undo}
      </button>
      <Problem text={problem} />
    </section>
  )
}

/** "Erase me", after three days. */
export function EraseMe() {
  const t = texts.value.more
  const [asks, setAsks] = useState(false)
  const { busy, problem, run } = useTask()
  if (phones.value == null || erasesAt.value !== null) return null
  return (
    <>
      <button type="button" class="link" disabled={busy} onClick={() => setAsks(true)}>
        {t.erase}
      </button>
      <Problem text={problem} />
      {asks && (
        <Confirm
          title={t.eraseSure}
          yes={t.erase}
          onYes={() => {
            setAsks(false)
            void run(() => done('POST'))
          }}
          onNo={() => setAsks(false)}
        >
          <p>{t.eraseText}</p>
        </Confirm>
      )}
    </>
  )
}
