import { useState } from 'preact/hooks'
import { Panel } from '../../console/parts/blocks.tsx'
import { About } from '../parts/about.tsx'
import { Devices } from '../parts/devices.tsx'
import { EraseMe, ErasureNotice } from '../parts/erase-me.tsx'
import { LanguagePicker } from '../parts/language-picker.tsx'
import { OwnCard } from '../parts/own-card.tsx'
import { OwnData } from '../parts/own-data.tsx'
import { PersonForm } from '../parts/person-form.tsx'
import { Practice } from '../parts/practice.tsx'
import { Trackers } from '../parts/trackers.tsx'
import { texts } from '../state/language.ts'

export function More() {
  const t = texts.value
  const [practises, setPractises] = useState(false)
  const [writes, setWrites] = useState(false)
  const [isSaved, setSaved] = useState(false)
  if (practises)
    return (
      <Panel title={t.join.practice}>
        <Practice button={t.done} onDone={() => setPractises(false)} />
      </Panel>
    )
  if (writes)
    return (
      <Panel title={t.card.title}>
        <OwnCard onDone={() => setWrites(false)} />
      </Panel>
    )
  return (
    <>
      <Panel title={t.more.you}>
        <PersonForm button={t.save} onDone={() => setSaved(true)} />
        {isSaved && <p role="status">{t.done}</p>}
      </Panel>
      <Panel title={t.card.title}>
        <p>{t.card.lead}</p>
        <button type="button" onClick={() => setWrites(true)}>
          {t.card.open}
        </button>
      </Panel>
      <Panel title={t.sos.silentTitle}>
        <p>{t.sos.silentHow}</p>
      </Panel>
      <Devices />
      <Trackers />
      <Panel title={t.more.about}>
        <About />
        <p>{t.join.install}</p>
        <LanguagePicker />
        <OwnData />
        <ErasureNotice />
        <EraseMe />
      </Panel>
      <button type="button" onClick={() => setPractises(true)}>
        {t.more.practise}
      </button>
    </>
  )
}
