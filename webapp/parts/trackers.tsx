import { useState } from 'preact/hooks'
import { Field, Form, Panel, Problem } from '../../console/parts/blocks.tsx'
import type { TocsinError } from '../../sdk/src/index.ts'
import { texts } from '../state/language.ts'
import { sdk } from '../state/sos.ts'
import { useLoaded } from './loaded.ts'
import { useTask } from './task.ts'

/** Why a tracker was not paired. */
function wordsFor({ status, code }: TocsinError): string | null {
  const t = texts.value.devices
  if (status === 429) return t.pairBusy
  if (status === 400) return t.pairWrong
  if (status !== 409) return null
  return code.endsWith('_LIMIT') ? t.pairLimit : t.pairTaken
}

function Pairing({ onDone }: { readonly onDone: () => Promise<void> }) {
  const t = texts.value.devices
  const [hardwareId, setHardwareId] = useState('')
  const [pairingCode, setPairingCode] = useState('')
  const [isPaired, setPaired] = useState(false)
  const { busy, problem, run } = useTask()
  const pair = () => {
    setPaired(false)
    void run(async () => {
      await sdk().devices.pair({ hardwareId: hardwareId.trim(), pairingCode: pairingCode.trim() })
      setHardwareId('')
      setPairingCode('')
      setPaired(true)
      await onDone()
    }, wordsFor)
  }
  return (
    <Form onSend={pair}>
      <Field
        label={t.hardwareId}
        hint={t.pairHint}
        value={hardwareId}
        required
        maxLength={128}
        autocomplete="off"
        onInput={(event) => setHardwareId(event.currentTarget.value)}
      />
      <Field
        label={t.pairingCode}
        value={pairingCode}
        required
        maxLength={128}
        autocomplete="off"
        onInput={(event) => setPairingCode(event.currentTarget.value)}
      />
      <Problem text={problem} />
      {isPaired && <p role="status">{t.paired}</p>}
      <button type="submit" disabled={busy}>
        {t.pair}
      </button>
    </Form>
  )
}

/** The trackers that alarm in the person's name, and one more, with the code that came with it. */
export function Trackers() {
  const t = texts.value.devices
  const { value, again } = useLoaded(() => sdk().devices.list())
  return (
    <Panel title={t.trackers}>
      {value?.length === 0 && <p class="quiet">{t.noTrackers}</p>}
      <ul class="plain">
        {value?.map(({ id, hardwareId, hardwareModel }) => (
          <li key={id}>{[hardwareModel, hardwareId].filter(Boolean).join(' ')}</li>
        ))}
      </ul>
      <Pairing onDone={again} />
    </Panel>
  )
}
