import { signal } from '@preact/signals'

/** Whether the browser keeps the page silent until another click. */
export const soundBlocked = signal(false)

type Tone = readonly [hertz: number, seconds: number]
type Pattern = 'alarm' | 'lost' | 'drill' | 'notice'

/**
 * Two tones that no telephone has; for a lost connection a low one with pauses; for an exercise a single one; for a
 * change of shift three that rise.
 */
const patterns: Readonly<Record<Pattern, readonly Tone[]>> = {
  alarm: [
    [880, 0.25],
    [660, 0.25],
    [880, 0.25],
    [660, 0.25],
    [0, 0.5],
  ],
  lost: [
    [330, 0.4],
    [0, 1.6],
  ],
  drill: [[523, 0.6]],
  notice: [
    [523, 0.2],
    [0, 0.1],
    [523, 0.2],
    [0, 0.1],
    [784, 0.4],
  ],
}

let context: AudioContext | null = null
let playing: { readonly pattern: Pattern; readonly source: AudioBufferSourceNode } | null = null

/** A looping buffer: timers of a page in the background are slowed down. */
function bufferOf(audio: AudioContext, tones: readonly Tone[]): AudioBuffer {
  const seconds = tones.reduce((sum, [, length]) => sum + length, 0)
  const buffer = audio.createBuffer(1, Math.ceil(seconds * audio.sampleRate), audio.sampleRate)
  const samples = buffer.getChannelData(0)
  let at = 0
  for (const [hertz, length] of tones) {
    const count = Math.floor(length * audio.sampleRate)
    for (let n = 0; n < count && hertz > 0; n++) {
      // Faded in and out within 10 ms, so that it does not crack; with an overtone, which carries further.
      const fade = Math.min(1, n / (0.01 * audio.sampleRate), (count - n) / (0.01 * audio.sampleRate))
      const turn = (2 * Math.PI * hertz * n) / audio.sampleRate
      samples[at + n] = fade * (0.6 * Math.sin(turn) + 0.25 * Math.sin(3 * turn))
    }
    at += count
  }
  return buffer
}

function start(audio: AudioContext, pattern: Pattern, repeats: boolean): AudioBufferSourceNode {
  const source = audio.createBufferSource()
  source.buffer = bufferOf(audio, patterns[pattern])
  source.loop = repeats
  source.connect(audio.destination)
  source.start()
  return source
}

/**
 * On a click: browsers require one before a page may sound. Plays the alarm once, where `test` does not say otherwise.
 */
export async function primeSound(test = true): Promise<void> {
  context ??= new AudioContext()
  const audio = context
  audio.onstatechange = () => {
    soundBlocked.value = audio.state !== 'running'
  }
  // Before: without a click, a browser answers only after the next one.
  soundBlocked.value = audio.state !== 'running'
  await audio.resume().catch(() => {})
  soundBlocked.value = audio.state !== 'running'
  if (test && audio.state === 'running' && playing === null) start(audio, 'alarm', false)
}

/** One soft tone, once. */
export function chime(): void {
  if (context !== null && playing === null) start(context, 'drill', false)
}

/** Of a change of shift, once. */
export function notice(): void {
  if (context !== null && playing === null) start(context, 'notice', false)
}

/** Plays a pattern over and over; null: stops. */
export function loop(pattern: Exclude<Pattern, 'drill' | 'notice'> | null): void {
  if ((playing?.pattern ?? null) === pattern) return
  playing?.source.stop()
  playing = null
  if (pattern !== null && context !== null) playing = { pattern, source: start(context, pattern, true) }
}
