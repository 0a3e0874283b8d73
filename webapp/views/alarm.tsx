import { useEffect, useState } from 'preact/hooks'
import { alarmWords } from '../logic/alarm-words.ts'
import { type SmsSos, smsLink } from '../logic/sms.ts'
import { CallEmergency } from '../parts/call.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { useSos } from '../parts/sos-button.tsx'
import { Talk } from '../parts/talk.tsx'
import { lastPosition, positionState } from '../state/device.ts'
import { enrolment } from '../state/enrolment.ts'
import { kept } from '../state/keep.ts'
import { texts } from '../state/language.ts'
import { alarm, alarmState, closeAlarm, isRevealed, press, pressedAtMs, TAKE_BACK_MS } from '../state/sos.ts'
import { clockTime, shortTime } from '../state/times.ts'

/**
 * A person who presses three times in fear goes on pressing: that must neither take the alarm back nor leave the app.
 */
const DEAF_MS = 1_500

/** Seconds in which the press can still be taken back, and whether the button listens yet. */
function useTakeBack(): { readonly seconds: number; readonly listens: boolean } {
  const pressed = pressedAtMs.value
  const [now, setNow] = useState(() => performance.now())
  const left = pressed === null ? 0 : pressed + TAKE_BACK_MS - now
  useEffect(() => {
    if (left <= 0) return
    const timer = setInterval(() => setNow(performance.now()), 250)
    return () => clearInterval(timer)
  }, [left <= 0])
  return { seconds: Math.max(0, Math.ceil(left / 1000)), listens: pressed === null || now - pressed >= DEAF_MS }
}

/** The alarm is open, and nobody comes, or it is worse: pressed again, it alarms again. */
function PressAgain() {
  const { listeners, isDown } = useSos(() => void press(alarmState.value?.silent === true))
  return (
    <button type="button" class={`again${isDown ? ' down' : ''}`} {...listeners}>
      {texts.value.alarm.again}
    </button>
  )
}

/** An open alarm, and its end: the facts, in large letters. */
export function AlarmView() {
  const t = texts.value.alarm
  const [shown, state, own] = [alarm.value, alarmState.value, enrolment.value]
  const [asks, setAsks] = useState(false)
  const [sends, setSends] = useState(false)
  const [smsSos, setSmsSos] = useState<SmsSos | null>(null)
  useEffect(() => void kept<SmsSos | null>('smsSos').then((known) => setSmsSos(known ?? null)), [])
  const { seconds, listens } = useTakeBack()
  if (shown === null || state === null || own == null) return null
  const { tone, headline, lines } = alarmWords(state, {
    t,
    time: (iso) => (iso === state.onServerAt ? clockTime(iso) : shortTime(iso)),
  })
  const isOver = state.step === 'over'
  const isFresh = seconds > 0 && !isOver && shown.own && state.ending === null
  return (
    <main class="alarm" data-tone={tone}>
      <div role="alert">
        <h1 class="headline">{headline}</h1>
      </div>
      <ul class="facts" aria-live="polite">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {(!isOver || state.over === 'refused') && (
        <p class="actions">
          <CallEmergency listens={listens} />
          {state.step === 'kept' && smsSos !== null && (
            <a
              class="button"
              href={smsLink(smsSos, lastPosition())}
              onClick={(event) => listens || event.preventDefault()}
            >
              {t.smsTo}
            </a>
          )}
        </p>
      )}
      {!shown.own && !isOver && (
        <section class="notice">
          <p>{t.elsewhere}</p>
          {!sends && (
            <>
              <p>{t.tooPosition}</p>
              <button
                type="button"
                onClick={() => {
                  shown.sendPositions()
                  setSends(true)
                }}
              >
                {t.sendPosition}
              </button>
            </>
          )}
        </section>
      )}
      {!isFresh && !isOver && <Talk />}
      {isFresh && (
        <div class="take-back">
          <p>{t.takeBackFor(seconds)}</p>
          <button type="button" disabled={!listens} onClick={() => void shown.cancel()}>
            {t.takeBack}
          </button>
        </div>
      )}
      {!isFresh && !isOver && (
        <div class="actions ends">
          <PressAgain />
          <button type="button" onClick={() => setAsks(true)}>
            {t.fine}
          </button>
          {state.silent && (
            <button
              type="button"
              onClick={() => {
                isRevealed.value = false
              }}
            >
              {texts.value.sos.hide}
            </button>
          )}
        </div>
      )}
      {!isOver && !state.silent && shown.own && positionState.value === 'granted' && <p class="quiet">{t.keepOpen}</p>}
      {isOver && (
        <button type="button" class="main wide" onClick={closeAlarm}>
          {t.close}
        </button>
      )}
      {asks && !isOver && (
        <Confirm
          title={t.fineSure}
          yes={t.end}
          no={t.goOn}
          onYes={() => {
            setAsks(false)
            // Once somebody has answered, it was an emergency.
            void (state.step === 'coming' ? shown.resolve() : shown.cancel())
          }}
          onNo={() => setAsks(false)}
        >
          <p>{t.fineText}</p>
        </Confirm>
      )}
    </main>
  )
}
