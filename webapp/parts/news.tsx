import { Problem } from '../../console/parts/blocks.tsx'
import { texts } from '../state/language.ts'
import { type News, news, switchNewsOff, switchNewsOn } from '../state/news.ts'
import { shortTime } from '../state/times.ts'
import { Fact } from './fact.tsx'
import { useTask } from './task.ts'

function wordsFor(current: News): string {
  const t = texts.value.news
  if (current.kind !== 'on') return t[current.kind]
  if (current.failedAt !== null) return t.failed(shortTime(current.failedAt))
  return current.wholeText ? t.onWhole : t.on
}

/** Whether this phone hears of its alarms while the screen is off. */
export function NewsFact() {
  const current = news.value
  if (current === undefined) return null
  const isWell = current.kind === 'on' && current.failedAt === null
  return <Fact title={texts.value.news.title} isWell={isWell} text={wordsFor(current)} />
}

export function NewsSwitch() {
  const t = texts.value.news
  const { busy, problem, run } = useTask()
  const current = news.value
  const isOn = current?.kind === 'on'
  if (!isOn && current?.kind !== 'off' && current?.kind !== 'lost') return null
  const wholeText = isOn && current.wholeText
  return (
    <>
      <p class="quiet">{t.what}</p>
      {problem !== null && <Problem text={problem} />}
      <div class="actions">
        {isOn ? (
          <>
            <button type="button" disabled={busy} onClick={() => void run(() => switchNewsOn(!wholeText))}>
              {wholeText ? t.hide : t.showWhole}
            </button>
            <button type="button" disabled={busy} onClick={() => void run(switchNewsOff)}>
              {t.switchOff}
            </button>
          </>
        ) : (
          <button type="button" disabled={busy} onClick={() => void run(() => switchNewsOn(false))}>
            {t.switchOn}
          </button>
        )}
      </div>
    </>
  )
}
