import { Volume2, VolumeX } from 'lucide'
import { stream } from '../api/stream.ts'
import { countdown } from '../logic/age.ts'
import { arm, armed, audible, disarm, rings, silencedUntil, silenceHere } from '../state/alarm.ts'
import { browserNow } from '../state/clock.ts'
import { texts } from '../state/language.ts'
import { narrow } from '../state/narrow.ts'
import { Icon } from './icon.tsx'

/** Sound on or off, quiet for a while, and whether news arrive. */
export function AlarmBar() {
  const t = texts.value.sound
  const quietUntil = silencedUntil.value
  return (
    <div class="alarm-bar">
      <span class={`live ${stream.value.live ? 'on' : 'off'}`}>
        <span aria-hidden="true">{stream.value.live ? '●' : '✕'}</span>{' '}
        <span class={stream.value.live && narrow.value ? 'unseen' : undefined}>
          {stream.value.live ? t.live : t.cut}
        </span>
      </span>
      {rings.value !== null && armed.value && (
        <button type="button" onClick={silenceHere}>
          {t.silence}
        </button>
      )}
      {quietUntil !== null && (
        <span class="quiet-until">
          {t.silenced} <span class="age">{countdown(quietUntil - browserNow.value)}</span>
        </span>
      )}
      <button
        type="button"
        class={audible.value ? 'armed' : 'unarmed'}
        aria-pressed={audible.value}
        title={audible.value ? t.turnOff : t.turnOn}
        onClick={() => (audible.value ? disarm() : void arm())}
      >
        <Icon of={audible.value ? Volume2 : VolumeX} /> {audible.value ? t.on : t.off}
      </button>
    </div>
  )
}
