import { computed, effect, signal } from '@preact/signals'
import { type Alarm, type AlarmState, Tocsin } from '../../sdk/src/index.ts'
import { battery, knownNow, locate } from './device.ts'
import { enrolment, joining } from './enrolment.ts'
import { keep } from './keep.ts'

/** The time in which a press can be taken back. */
export const TAKE_BACK_MS = 10_000

/** The alarm that this phone shows, and its state. It stays, over, until the person closes it. */
export const alarm = signal<Alarm | null>(null)
export const alarmState = signal<AlarmState | null>(null)
/** Of a press of this start of the app, on the clock of `performance.now()`. */
export const pressedAtMs = signal<number | null>(null)
/** A silent alarm shows itself only when the person asks for it. */
export const isRevealed = signal(false)
const isPressing = signal(false)
/** Between a silent press and its state. */
let pressesSilently = false

let tocsin: Tocsin | null = null
let unfollow = (): void => {}
let unwatch = (): void => {}

const isOpen = ({ state }: Alarm): boolean => state.step !== 'over'

function follow(next: Alarm): void {
  if (next === alarm.value) return
  unfollow()
  const show = (): void => {
    alarmState.value = next.state
  }
  alarm.value = next
  show()
  unfollow = next.subscribe(show)
}

/** Shows this phone's own alarm at once, then the service's, also of other devices. */
async function look(of: Tocsin): Promise<void> {
  const kept = (await of.sos.alarms()).filter(isOpen).at(-1)
  if (of !== tocsin) return
  if (kept !== undefined && (alarm.value === null || !isOpen(alarm.value))) follow(kept)
  if (alarm.value !== null && isOpen(alarm.value)) return
  const current = await of.sos.current()
  if (of === tocsin && current !== null && (alarm.value === null || !isOpen(alarm.value))) follow(current)
}

/** Also before this page shows anything: the SDK asks for the position as soon as it has read its storage. */
async function isSilent(of: Tocsin): Promise<boolean> {
  const isShown = pressesSilently || alarmState.value?.silent === true
  return isShown || (await of.sos.alarms()).some((kept) => isOpen(kept) && kept.state.silent)
}

function open({ appId, userId, credential }: { appId: string; userId: string; credential: string }): void {
  const opened: Tocsin = new Tocsin({
    url: location.origin,
    appId,
    userId,
    userHash: credential,
    // The stream of events does as well, without a library ten times the size of the app.
    mqtt: false,
    position: async () => locate(await isSilent(opened)),
    battery,
  })
  tocsin = opened
  unwatch = opened.sos.watch(() => void look(opened))
  void look(opened)
}

async function close(): Promise<void> {
  unwatch()
  unfollow()
  await tocsin?.close()
  tocsin = null
  alarm.value = null
  alarmState.value = null
}

// A silent alarm that has ended leaves as it came, unless the person is looking at it.
effect(() => {
  if (alarmState.value?.silent === true && alarmState.value.step === 'over' && !isRevealed.value) closeAlarm()
})

/** The worker shows no news while it stands. */
const isSilentlyOpen = computed(() => alarmState.value?.silent === true && alarmState.value.step !== 'over')
let isKeptSilent: boolean | null = null
effect(() => {
  const isSilent = isSilentlyOpen.value
  if (enrolment.value == null || isSilent === isKeptSilent) return
  isKeptSilent = isSilent
  void keep('silent', isSilent ? true : undefined)
})

let openedFor = ''
effect(() => {
  const own = enrolment.value
  const who = own == null ? '' : `${own.appId} ${own.userId} ${own.credential}`
  if (who === openedFor) return
  openedFor = who
  void close().then(() => {
    if (own != null && openedFor === who) open(own)
  })
})

/** The SDK, once this phone is set up. */
export function sdk(): Tocsin {
  if (tocsin === null) throw new TypeError('this phone is not set up')
  return tocsin
}

/** Calls for help. It is sent at once: the service's grace period is the time to take it back. */
export async function press(silent: boolean): Promise<void> {
  isPressing.value = true
  pressesSilently = silent
  try {
    if (!silent) {
      pressedAtMs.value = performance.now()
      navigator.vibrate?.(200)
    }
    const known = knownNow()
    const pressed = await sdk().sos.press(silent ? { ...known, silent: true } : known)
    // An open alarm that is looked at stays on the screen.
    isRevealed.value ||= !silent
    follow(pressed)
  } finally {
    isPressing.value = false
    pressesSilently = false
  }
}

/** The person has read that it is over. */
export function closeAlarm(): void {
  if (alarm.value !== null && isOpen(alarm.value)) return
  unfollow()
  alarm.value = null
  alarmState.value = null
  pressedAtMs.value = null
  isRevealed.value = false
}

/** Whether the alarm has the screen. A silent one leaves it as it was, also after its end. */
export const isAlarmShown = computed(() => alarmState.value !== null && (!alarmState.value.silent || isRevealed.value))

/** Whether the app may be replaced by a new build now. */
export const isIdle = (): boolean =>
  alarm.value === null && !isPressing.value && joining.value === null && (enrolment.value?.setUp ?? null) === null

let lock: Promise<{ release(): Promise<void> }> | null = null

/** The screen stays on while an alarm is open. In a silent one it goes dark as always. */
function keepAwake(): void {
  const state = alarmState.value
  const should = state !== null && state.step !== 'over' && !state.silent && document.visibilityState === 'visible'
  if (should && lock === null && 'wakeLock' in navigator) {
    lock = navigator.wakeLock.request('screen')
    lock.catch(() => {
      lock = null
    })
  } else if (!should && lock !== null) {
    void lock.then((held) => held.release()).catch(() => {})
    lock = null
  }
}
effect(keepAwake)
document.addEventListener('visibilitychange', () => {
  // The browser has released it meanwhile.
  if (document.visibilityState === 'hidden') lock = null
  keepAwake()
  if (document.visibilityState === 'visible') void tocsin?.wake()
})
