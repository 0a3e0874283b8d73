import { useEffect, useState } from 'preact/hooks'
import { Empty, Panel, Problem } from '../../console/parts/blocks.tsx'
import { Fact } from '../parts/fact.tsx'
import { isInsecure } from '../parts/insecure.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { NewsFact, NewsSwitch } from '../parts/news.tsx'
import { checkConnection, connection } from '../state/connection.ts'
import { askForPosition, lookAtPermission, positionState } from '../state/device.ts'
import { keep } from '../state/keep.ts'
import { language, texts } from '../state/language.ts'
import { readNews } from '../state/news.ts'
import { sdk } from '../state/sos.ts'
import { clockTime } from '../state/times.ts'

/** Checks that only this phone can make: `true` is well. */
async function ownFindings(): Promise<{ readonly keeps: boolean; readonly opensOffline: boolean }> {
  await lookAtPermission()
  const keeps = await keep('tried', Date.now())
  return { keeps, opensOffline: navigator.serviceWorker?.controller != null }
}

/** "Am I ready?": the findings of the service, and those of this phone. */
export function Ready() {
  const t = texts.value
  const r = t.ready
  const { value, failed, again } = useLoaded(() => sdk().readiness(language.value))
  const [own, setOwn] = useState<Awaited<ReturnType<typeof ownFindings>> | null>(null)
  const check = (): void => {
    void checkConnection()
    void ownFindings().then(setOwn)
    void readNews()
    void again()
  }
  useEffect(() => {
    void checkConnection()
    void ownFindings().then(setOwn)
    void readNews()
  }, [])
  const { kind, at } = connection.value
  const isConnected = kind === 'ok'
  const lineWords = { checking: t.line.checking, none: t.line.none, busy: t.line.busy, refused: t.line.refused, ok: '' }
  const isBad = value?.status === 'not_ready' || kind === 'refused' || kind === 'none'
  const verdict = value?.status === 'ready' ? r.ready : value?.status === 'attention' ? r.attention : r.notReady
  return (
    <>
      <Panel title={r.title}>
        {value === null && !failed && <Empty>{t.loading}</Empty>}
        {failed && <Problem text={t.line.none} />}
        {value !== null && (
          <p class={`notice ${isBad ? 'bad' : 'good'}`}>
            {isBad && value.status !== 'not_ready' ? lineWords[kind] : verdict}
          </p>
        )}
        <ul class="list">
          {value?.findings.map(({ code, contactId, text, remedy }) => (
            <li key={`${code} ${contactId}`}>
              <p>
                <strong>{text}</strong>
                <br />
                {remedy}
              </p>
            </li>
          ))}
        </ul>
      </Panel>
      <dl class="facts-of-phone panel">
        <Fact
          title={r.connection}
          isWell={isConnected}
          text={isConnected ? r.connected(clockTime(at)) : lineWords[kind]}
        />
        <Fact
          title={r.position}
          isWell={positionState.value === 'granted'}
          text={positionState.value === 'granted' ? t.join.positionOn : t.join.positionOff}
        />
        {own !== null && (
          <>
            <Fact title={r.kept} isWell={own.keeps} text={own.keeps ? r.keptOk : r.keptNot} />
            <Fact
              title={r.offline}
              isWell={own.opensOffline}
              text={own.opensOffline ? r.offlineOk : isInsecure() ? t.line.insecure : r.offlineNot}
            />
          </>
        )}
        <NewsFact />
      </dl>
      <NewsSwitch />
      <div class="actions">
        {positionState.value === 'prompt' && (
          <button type="button" onClick={() => void askForPosition()}>
            {t.join.positionAllow}
          </button>
        )}
        <button type="button" onClick={check}>
          {r.check}
        </button>
      </div>
    </>
  )
}
