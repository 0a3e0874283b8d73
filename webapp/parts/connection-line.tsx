import { connection } from '../state/connection.ts'
import { texts } from '../state/language.ts'
import { alarmState } from '../state/sos.ts'
import { clockTime, shortTime } from '../state/times.ts'

/** The small line at the bottom: the connection, or how far a silent alarm has got, in words that betray nothing. */
export function ConnectionLine() {
  const t = texts.value.line
  const state = alarmState.value
  const { kind, at } = connection.value
  if (state?.silent === true && state.step !== 'over') {
    const saved = state.step !== 'kept' && state.onServerAt !== null ? t.saved(clockTime(state.onServerAt)) : t.notSaved
    return <p class="line">{saved}</p>
  }
  const words = {
    checking: t.checking,
    ok: t.ok(shortTime(at)),
    none: t.none,
    busy: t.busy,
    refused: t.refused,
  }[kind]
  return <p class={`line ${kind}`}>{words}</p>
}
